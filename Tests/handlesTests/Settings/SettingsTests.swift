import Foundation
import HandleRegistry
import HandleServer
import Logging
import TestSupport
import Testing

@testable import handles

/// Every setting: its default, and its entry in the operators' documentation.
@Suite struct SettingsTests {
    /// Every default is a valid value, and its text means the same: nothing is lost in the documents.
    @Test func defaultOfASettingCanBeSet() throws {
        let usual = String(describing: try Settings(environment: [:]))
        for setting in Setting.all where !setting.usual.isEmpty {
            #expect(String(describing: try Settings(environment: [setting.name: setting.usual])) == usual)
        }
        #expect(Setting.all.count { !$0.usual.isEmpty } > 30)
    }

    @Test func everySettingSetsAPropertyOfItsOwn() throws {
        // Values of all kinds; each setting accepts at least one that is not its default.
        let values = [
            "7", "99", "2048", "70000", "300000", "2s", "17s", "7/7s", "strict", "json", "debug", "10.0.0.0/8",
            "https://a.example", "offensive", "0123456789abcdef",
        ]
        // Files, and settings that need others.
        let others: Set = [
            "DATABASE_URL", "DATABASE_URL_FILE", "HANDLES_READ_URL", "HANDLES_ADMIN_KEY_FILE", "HANDLES_TOKEN_ISSUERS",
            "HANDLES_TLS_CERTIFICATE",
            "HANDLES_TLS_KEY",
        ]
        let usual = String(describing: try Settings(environment: [:]))
        var seen: Set<String> = []
        for setting in Setting.all where !others.contains(setting.name) {
            let settings = Set(values.compactMap { try? Settings(environment: [setting.name: $0]) }.map { "\($0)" })
            #expect(!settings.subtracting([usual]).isEmpty, "\(setting.name)")
            #expect(settings.subtracting([usual]).isDisjoint(with: seen), "\(setting.name)")
            seen.formUnion(settings)
        }
    }

    @Test func connectionStringIsReadFromAFile() throws {
        let file = TemporaryFolder.make("settings") + "/url"
        let url = "postgresql://db.example/handles"
        try "\(url)\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Settings(environment: ["DATABASE_URL_FILE": file]).databaseURL == url)
        func fault(_ environment: [String: String]) -> String {
            do {
                return "\(try Settings(environment: environment))"
            } catch {
                return "\(error)"
            }
        }
        #expect(fault(["DATABASE_URL_FILE": file, "DATABASE_URL": url]).contains("keep one of them"))
        #expect(fault(["DATABASE_URL_FILE": file + ".missing"]).contains(".missing"))
        try "host='open".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(fault(["DATABASE_URL_FILE": file]).hasPrefix("DATABASE_URL_FILE "))
    }

    @Test func settingsAreAllInTheTableForOperators() throws {
        let lines = try Repository.text("docs/operations.md").split(separator: "\n")
        let table = lines.filter { $0.hasPrefix("| `HANDLES_") || $0.hasPrefix("| `DATABASE_URL") }
        #expect(table.map { $0 + "\n" }.joined() == Setting.table, "make docs writes the table")
    }

    @Test func packagedSettingsFileIsMadeOfTheSettings() throws {
        #expect(try Repository.text("Packaging/handles.conf") == Setting.packagedFile, "make docs writes the file")
    }

    @Test(arguments: [
        (["HANDLES_ANONYMOUS_LIMIT": "300"], "such as 300/5m"), (["HANDLES_ANONYMOUS_LIMIT": "0/5m"], "such as 300/5m"),
        (["HANDLES_ANONYMOUS_LIMIT": "5/0s"], "such as 300/5m"),
        (["HANDLES_GLOBAL_LIMIT": "5/300ms"], "such as 300/5m"),
        (["HANDLES_GLOBAL_LIMIT": "5/1500ms"], "whole seconds"),
        (["HANDLES_GLOBAL_LIMIT": "5/5m/5"], "such as 300/5m"),
        (["HANDLES_TRUSTED_PROXIES": "10.0.0.1/8"], "a network is such as 192.0.2.0/24"),
        (["HANDLES_TRUSTED_PROXIES": "10.0.0.0/8,proxy"], "'proxy'"),
        (["HANDLES_PAGE_ORIGINS": "*"], "HANDLES_PAGE_ORIGINS has '*'; an origin looks like https://app.example"),
        (["HANDLES_PAGE_ORIGINS": "https://a.example,https://b.example/"], "has 'https://b.example/'"),
        (["HANDLES_WORDS_OFF": "offensive,roles"], "HANDLES_WORDS_OFF has 'roles', which is locked"),
        (["HANDLES_WORDS_OFF": "ofensive"], "has 'ofensive'; the categories are accounts, authorities, brands,"),
        (["HANDLES_WORDS_OFF": "innocent"], "has 'innocent'; the categories are"),
        (["HANDLES_BODY_BYTES": "12"], "a number from 1024 to 67108864"),
        (["HANDLES_REQUEST_TIME": "0s"], "from 100ms to 1h"), (["HANDLES_LOG": "xml"], "text or json"),
        (["HANDLES_LOG_LEVEL": "loud"], "error or warning"),
        (["HANDLES_TLS_KEY": "/x"], PackageTrait.tls.isBuiltIn ? "belong together; set both" : "TRAITS=TLS"),
        (
            ["HANDLES_TLS_KEY": "/nonexistent", "HANDLES_TLS_CERTIFICATE": "/nonexistent"],
            PackageTrait.tls.isBuiltIn ? "files in PEM" : "TRAITS=TLS"
        ),
        (["HANDLES_BATCH": "1001"], "a number from 1 to 1000"), (["HANDLES_DRAIN": "-1s"], "HANDLES_DRAIN"),
        (["HANDLES_DATABASE_TIME": "2s"], "from 3s to 1m"), (["HANDLES_DATABASE_TIME": "61s"], "from 3s to 1m"),
    ])
    func wrongSettingsAreRefusedWithAHint(_ variables: [String: String], _ words: String) throws {
        #expect {
            _ = try Settings(environment: variables)
        } throws: { error in
            let fault = error as? CommandFault
            return fault?.status.rawValue == 64 && fault?.description.contains(words) == true
        }
    }

    /// A Kubernetes Service called `handles` puts these into every container of its namespace.
    @Test func kubernetesServiceVariablesAreNotReadAsSettings() throws {
        let links = [
            "HANDLES_SERVICE_HOST": "10.96.0.7", "HANDLES_SERVICE_PORT": "80", "HANDLES_SERVICE_PORT_HTTP": "80",
            "HANDLES_PORT": "tcp://10.96.0.7:80", "HANDLES_PORT_80_TCP": "tcp://10.96.0.7:80",
            "HANDLES_PORT_80_TCP_PROTO": "tcp", "HANDLES_PORT_80_TCP_PORT": "80",
            "HANDLES_PORT_80_TCP_ADDR": "10.96.0.7",
            "HANDLES_API_SERVICE_HOST": "10.96.0.8", "HANDLES_API_PORT": "udp://10.96.0.8:53",
        ]
        #expect(try Settings(environment: links).server.port == 8080)
        #expect(throws: CommandFault.self) { try Settings(environment: ["HANDLES_PROT_80_TCP": "x"]) }
        #expect(throws: CommandFault.self) { try Settings(environment: ["HANDLES_READ_PORT": "80"]) }
    }

    /// The quotient of two durations is rounded: 2365 s / 1 s is less than 2365.
    @Test func durationsAreNeverOffByOne() throws {
        let wrong = try (1...20_000).filter { count in
            try RateText.parse("5/\(count)s", "limit").seconds != count
                || DurationText.read(DurationText.text(.milliseconds(count))) != .milliseconds(count)
        }
        #expect(wrong == [])
    }

    @Test func manySettingsAreReadTogether() throws {
        let settings = try Settings(environment: [
            "HANDLES_ANONYMOUS_LIMIT": "none", "HANDLES_GLOBAL_LIMIT": "5000/1s", "HANDLES_IDLE_TIME": "90s",
            "HANDLES_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
            "HANDLES_PAGE_ORIGINS": "https://a.example, http://localhost:3000", "HANDLES_LOG": "json",
            "HANDLES_LOG_LEVEL": "info", "HANDLES_DATABASE_CONNECTIONS": "8",
            "HANDLES_WORDS_OFF": " offensive, ,brands,",
        ])
        #expect(settings.policy.wordsOff == ["brands", "offensive"])
        #expect(settings.server.limits.anonymous == nil)
        #expect(settings.server.limits.global == Rate(5000, perSeconds: 1))
        #expect(settings.server.limits.idleTime == .seconds(90) && settings.databaseConnections == 8)
        #expect(settings.server.trustedProxies.count == 2 && settings.log == .json && settings.logLevel == .info)
    }
}
