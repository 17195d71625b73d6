import HTTPLoading

/// An issuer in memory, for tests, previews and demonstrations. Its data is lost when the program ends.
///
/// Each refresh token is valid once. Using it again ends its session, as RFC 9700 (4.14.2) requires. Id tokens have the
/// subject of the account and no signature. Passwords are stored in plain text, and an identity token of Apple is trusted
/// without a check.
public actor MemoryBackend: AuthBackend {
    private struct Account {
        var email: String?
        var password: String?
    }

    /// The tokens that came from one sign-in.
    private struct Family {
        let account: UInt64
        var accessToken: String
        var refreshToken: String
    }

    private let lifetime: Duration?
    private var accounts: [UInt64: Account] = [:]
    private var people: [String: UInt64] = [:]
    private var families: [UInt64: Family] = [:]
    /// Every refresh token ever issued, with its family.
    private var familyOf: [String: UInt64] = [:]
    private var lastID: UInt64 = 0
    /// The number of refreshes requested.
    public private(set) var refreshes = 0
    /// The addresses of requested password resets, in order.
    public private(set) var passwordResets: [String] = []

    /// - Parameter lifetime: of access tokens; nil to omit `expiresIn`.
    public init(lifetime: Duration? = .seconds(3600)) { self.lifetime = lifetime }

    public func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens {
        switch credential {
        case .newAccount(let email, let password, _):
            guard people["email:" + email] == nil else { throw .refused(code: "account_exists") }
            return issue(to: account("email:" + email, Account(email: email, password: password)))
        case .password(let email, let password):
            guard let id = people["email:" + email], accounts[id]?.password == password else {
                throw .refused(code: "invalid_grant")
            }
            return issue(to: id)
        case .anonymous:
            return issue(to: account("guest:" + Self.secret(), Account()))
        case .apple(let apple):
            return issue(to: people["apple:" + apple.idToken] ?? account("apple:" + apple.idToken, Account()))
        case .code:
            throw .unsupported
        }
    }

    public func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens {
        refreshes += 1
        guard let id = familyOf[refreshToken], let family = families[id] else { throw .refused(code: "invalid_grant") }
        guard family.refreshToken == refreshToken else {
            families[id] = nil
            throw .refused(code: "invalid_grant")
        }
        return renew(id, of: family.account)
    }

    public func revoke(_ tokens: AuthTokens) async throws(SessionError) {
        if let id = tokens.refreshToken.flatMap({ familyOf[$0] }) { families[id] = nil }
        families = families.filter { $0.value.accessToken != tokens.accessToken }
    }

    public func resetPassword(email: String) async throws(SessionError) {
        if people["email:" + email] != nil { passwordResets.append(email) }
    }

    public func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) {
        guard let account = account(of: tokens.accessToken) else { throw .refused(code: "invalid_token") }
        accounts[account] = nil
        people = people.filter { $0.value != account }
        families = families.filter { $0.value.account != account }
    }

    /// Whether a service would accept this access token now. Its expiry is not checked.
    public func accepts(_ accessToken: String) -> Bool { account(of: accessToken) != nil }

    /// The number of accounts, guests included.
    public var accountCount: Int { accounts.count }

    private func account(of accessToken: String) -> UInt64? {
        families.values.first { $0.accessToken == accessToken }?.account
    }

    private func account(_ key: String, _ account: Account) -> UInt64 {
        lastID += 1
        accounts[lastID] = account
        people[key] = lastID
        return lastID
    }

    private func issue(to account: UInt64) -> AuthTokens {
        lastID += 1
        return renew(lastID, of: account)
    }

    private func renew(_ id: UInt64, of account: UInt64) -> AuthTokens {
        let tokens = AuthTokens(
            accessToken: "access-" + Self.secret(), refreshToken: "refresh-" + Self.secret(),
            idToken: "e30." + Base64URL.encode(#"{"sub":"\#(account)"}"#.utf8) + ".", expiresIn: lifetime)
        let family = Family(
            account: account, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken ?? "")
        families[id] = family
        familyOf[family.refreshToken] = id
        return tokens
    }

    /// 128 random bits in hexadecimal digits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined()
    }
}

extension MemoryBackend: CustomReflectable {
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
