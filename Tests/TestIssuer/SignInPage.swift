/// The page on which a person signs in. It asks for a name and no password.
enum SignInPage {
    static func html(query: String, client: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Sign in (test issuer)</title>
        <style>body { font: 1rem/1.5 sans-serif; max-width: 30rem; margin: 2rem auto; padding: 0 1rem }
        input, button { font: inherit; padding: .5rem; min-height: 44px }</style>
        <h1>Sign in</h1>
        <p>This issuer is for tests: any name is accepted, without a password. You sign in to \(escaped(client)).</p>
        <form method="post" action="/authorize?\(escaped(query))">
        <p><label>Name <input name="person" value="jane" required autofocus></label>
        <p><button name="decision" value="allow">Sign in</button>
        <button name="decision" value="deny" formnovalidate>Cancel</button>
        </form>
        </html>

        """
    }

    static func problem(_ text: String) -> String {
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Refused</title><p>\(escaped(text))</html>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
