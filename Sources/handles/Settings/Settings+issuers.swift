#if IdentityTokens
import HandleRegistry
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
        guard case .array(let list)? = try? JSONValue(reading: text.utf8), !list.isEmpty else {
            throw fault("\(path) is not a list of issuers; \(Self.form)")
        }
        let entries = list.compactMap(Entry.init)
        guard entries.count == list.count else {
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
        init?(_ entry: JSONValue) {
            guard case .object(let members) = entry, members.count == 3, case .string(let issuer)? = entry["issuer"],
                case .string(let keys)? = entry["keys"], let audiences = entry["audience"]?.oneOrMany
            else { return nil }
            (self.issuer, self.audiences, self.keys) = (issuer, audiences, keys)
        }
    }
}

extension JSONValue {
    /// A string, or the strings of an array; nil for anything else.
    fileprivate var oneOrMany: [String]? {
        switch self {
        case .string(let one): return [one]
        case .array(let values):
            let strings = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return strings.count == values.count ? strings : nil
        default: return nil
        }
    }
}
#endif
