#if IdentityTokens
import Foundation
import HandleServer
import Logging

extension Settings {
    /// The issuers in the file of `HANDLES_TOKEN_ISSUERS`:
    /// `[{"issuer":"https://login.example","audience":"my-app","keys":"https://login.example/jwks.json"}]`.
    ///
    /// Key files are read here, so that an invalid one is found at the start. Keys on the network are not: the issuer
    /// may be unreachable.
    /// - Throws: ``CommandFault`` with exit status 64 that says what is wrong in the file.
    static func issuers(in path: String) async throws -> [TokenIssuer] {
        func fault(_ sentence: String) -> CommandFault { CommandFault(.usage, "HANDLES_TOKEN_ISSUERS: \(sentence)") }

        let text: String
        do { text = try TextFile.read(path) } catch { throw fault("\(CommandFault(error))") }
        guard let entries = try? JSONDecoder().decode([Entry].self, from: Data(text.utf8)), !entries.isEmpty else {
            throw fault("\(path) is not a list of issuers; \(Self.form)")
        }
        guard entries.count <= Self.mostIssuers else {
            throw fault("\(path) has \(entries.count) issuers; the limit is \(Self.mostIssuers)")
        }
        var issuers: [TokenIssuer] = []
        for entry in entries {
            guard let source = KeySource(entry.keys) else {
                throw fault("'keys' is '\(entry.keys)'; it is \(KeySource.rule)")
            }
            guard let issuer = TokenIssuer(name: entry.issuer, audiences: entry.audience.values, keys: source) else {
                throw fault(
                    "'issuer' is '\(entry.issuer)' and 'audience' '\(entry.audience.values.joined(separator: "', '"))'; an "
                        + "issuer is \(TokenIssuer.nameRule), an audience \(TokenIssuer.audienceRule)")
            }
            guard !issuers.contains(where: { $0.name == issuer.name }) else {
                throw fault("the issuer '\(issuer.name)' is there twice; give it several audiences as an array")
            }
            if case .file = source {
                do { try await issuer.keys.refresh() } catch {
                    throw fault("the keys of '\(issuer.name)' can't be read: \(error)")
                }
                guard issuer.keys.count != 0 else {
                    throw fault("\(entry.keys) has no public key that checks signatures (RSA, EC or Ed25519)")
                }
            }
            issuers.append(issuer)
        }
        return issuers
    }

    private static let mostIssuers = 32
    private static let form = #"it looks like [{"issuer":"https://…","audience":"…","keys":"https://… or a file"}]"#

    private struct Entry: Decodable {
        let issuer: String
        let audience: OneOrMany
        let keys: String

        private enum Name: String, CodingKey, CaseIterable { case issuer, audience, keys }

        private struct AnyName: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            // Unknown members are refused, because one may be misspelt.
            for name in try decoder.container(keyedBy: AnyName.self).allKeys
            where Name(rawValue: name.stringValue) == nil {
                throw DecodingError.dataCorrupted(.init(codingPath: [name], debugDescription: "unknown"))
            }
            let members = try decoder.container(keyedBy: Name.self)
            issuer = try members.decode(String.self, forKey: .issuer)
            audience = try members.decode(OneOrMany.self, forKey: .audience)
            keys = try members.decode(String.self, forKey: .keys)
        }
    }

    /// One string or an array of strings.
    private struct OneOrMany: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            values =
                if let one = try? container.decode(String.self) { [one] } else { try container.decode([String].self) }
        }
    }
}

extension TokenIssuer {
    /// Reads the issuer's keys again.
    /// - Throws: an error when the keys can't be read.
    func readKeys(_ logger: Logger) async throws {
        try await keys.refresh()
        if keys.count == 0 { logger.warning("an issuer has no key that checks signatures") }
    }
}
#endif
