#if IdentityTokens
import Foundation
import HandleServer

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
        let list = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
        let entries = list.compactMap(Entry.init)
        guard !entries.isEmpty, entries.count == list.count else {
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
            guard let issuer = TokenIssuer(name: entry.issuer, audiences: entry.audiences, keys: source) else {
                throw fault(
                    "'issuer' is '\(entry.issuer)' and 'audience' '\(entry.audiences.joined(separator: "', '"))'; an "
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

    private struct Entry {
        let issuer: String
        let audiences: [String]
        let keys: String

        /// Nil if a member is missing, has another type or is unknown: it may be misspelt.
        init?(_ members: [String: Any]) {
            guard members.count == 3, let issuer = members["issuer"] as? String, let keys = members["keys"] as? String,
                let audiences = (members["audience"] as? String).map({ [$0] }) ?? members["audience"] as? [String]
            else { return nil }
            (self.issuer, self.audiences, self.keys) = (issuer, audiences, keys)
        }
    }
}
#endif
