import Foundation
import Sessions
import OpenIDSessions
import CookieSessions
import FileSessionStorage

// A program with a session, for tests that need a separate process. It imports the same modules as an app, so it also
// shows which libraries `Sessions` is linked with.
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

/// Prints a line without buffering. If nothing reads it the test has ended, so this program ends too.
func say(_ text: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    } catch {
        exit(2)
    }
}

/// Saves one version after the other until it is killed, and prints a line for each.
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

/// Refreshes the stored session `times` times, as after a 401. Prints each new token, and the state at the end.
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

/// Restores the session of the last run. Prints whether it is logged in, and its user name.
func restore(at base: String) async throws {
    var configuration = CookieSession.Configuration()
    configuration.report = { say("\($0)") }
    let session = try CookieSession(name: "bbuserid", base: url(base), configuration: configuration)
    let isLoggedIn = await session.restore()
    say("\(isLoggedIn) \(session.facts.facts?.username ?? "nobody")")
}
