import Foundation
import Sessions

// A program with a session, for tests that need a process of its own. It imports what an app would, so it also shows which
// libraries `Sessions` is linked with.
let arguments = CommandLine.arguments.dropFirst()
let values = Array(arguments.dropFirst())
do {
    switch (arguments.first, values.count) {
    case ("save", 1): try saveForEver(in: URL(fileURLWithPath: values[0]))
    case ("renew", 3): try await renew(in: URL(fileURLWithPath: values[0]), at: values[1], times: Int(values[2]) ?? 1)
    case ("log-in", 1): try await logIn(at: values[0])
    case ("restore", 1): try await restore(at: values[0])
    default: throw ProbeError(description: "usage: SessionProbe save|renew|log-in|restore …")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}

struct ProbeError: Error, CustomStringConvertible {
    let description: String
}

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw ProbeError(description: "\(text) is no URL") }
    return url
}

/// Writes a line at once. Without a reader the test has ended, and so does this program.
func say(_ text: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    } catch {
        exit(2)
    }
}

/// Saves one version after the other until it is killed, and writes a line for each.
func saveForEver(in folder: URL) throws {
    let storage = FileStorage(folder: folder)
    var version = 0
    while true {
        version += 1
        // From a few bytes to several pages. The first line is the number of letters in the second.
        let length = version * 7_919 % 20_000
        try storage.save(Data("\(length)\n\(String(repeating: "x", count: length))".utf8))
        say("\(version)")
    }
}

/// Renews the stored session again and again, as after 401s, and writes the token each time, and the state at the end.
func renew(in folder: URL, at issuer: String, times: Int) async throws {
    let backend = try OpenIDBackend(issuer: url(issuer), clientID: "app", redirectURI: url("http://127.0.0.1/callback"))
    let controller = SessionController(storage: FileStorage(folder: folder), backend: backend)
    for _ in 0..<times { say(try await controller.token(rejected: controller.token())) }
    say("\(await controller.state)")
}

/// Logs in with a cookie in the system's storage.
func logIn(at base: String) async throws {
    let session = try CookieSession(name: "bbuserid", base: url(base))
    try await session.logIn(form: ["username": "jane"], at: "account.php") { _ in
        AccountFacts(userID: "42", username: "jane", canSendPrivateMessages: true)
    }
}

/// Writes whether the session of the last start goes on, and whose it is.
func restore(at base: String) async throws {
    let session = try CookieSession(name: "bbuserid", base: url(base), report: { say("\($0)") })
    let isLoggedIn = await session.restore()
    say("\(isLoggedIn) \(session.facts.facts?.username ?? "nobody")")
}
