public import Foundation

/// Stores the session in a keychain, through four calls. On Apple's systems `KeychainStorage(service:account:)` uses
/// those of Security; elsewhere any keychain can provide them.
public struct KeychainStorage: SessionStorage {
    /// The calls of a keychain for one item. The status codes are those of Apple's Security (`OSStatus`).
    public struct Calls: Sendable {
        /// Reads the item: the status, and the data if the status is 0.
        public var read: @Sendable () -> (status: Int32, data: Data?)
        /// Adds the item with this data. The status is -25299 if there is one already.
        public var add: @Sendable (Data) -> Int32
        /// Replaces the data of the item. The status is -25300 if there is none.
        public var update: @Sendable (Data) -> Int32
        /// Removes the item. The status is -25300 if there is none.
        public var delete: @Sendable () -> Int32

        /// The calls are synchronous, and come from any thread.
        public init(
            read: @escaping @Sendable () -> (status: Int32, data: Data?), add: @escaping @Sendable (Data) -> Int32,
            update: @escaping @Sendable (Data) -> Int32, delete: @escaping @Sendable () -> Int32
        ) {
            self.read = read
            self.add = add
            self.update = update
            self.delete = delete
        }
    }

    // `errSecSuccess`, `errSecDuplicateItem` and `errSecItemNotFound`.
    private static let success: Int32 = 0
    private static let duplicate: Int32 = -25_299
    private static let notFound: Int32 = -25_300

    private let calls: Calls

    /// The keychain that these calls reach.
    public init(_ calls: Calls) { self.calls = calls }

    public func load() throws(SessionError) -> Data? {
        let (status, data) = calls.read()
        switch status {
        case Self.success:
            guard let data else {
                throw SessionError(.storeUnreadable, "the keychain answered without the item's data")
            }
            return data
        case Self.notFound:
            return nil
        default:
            // A locked device also answers like this (-25308): the session exists and can be read later.
            throw SessionError(.storeUnreadable, "the keychain can't be read: status \(status)")
        }
    }

    public func save(_ data: Data) throws(SessionError) {
        var status = calls.update(data)
        if status == Self.notFound {
            status = calls.add(data)
            // Another program added it meanwhile.
            if status == Self.duplicate { status = calls.update(data) }
        }
        guard status == Self.success else {
            throw SessionError(.notSaved, "the keychain did not save the session: status \(status)")
        }
    }

    public func clear() throws(SessionError) {
        let status = calls.delete()
        guard status == Self.success || status == Self.notFound else {
            throw SessionError(.notCleared, "the keychain did not remove the session: status \(status)")
        }
    }
}

#if canImport(Security)
import Security

extension KeychainStorage {
    /// The keychain of this device: readable after the first unlock, and not copied to other devices.
    /// - Parameters:
    ///   - service: names the app; by default its bundle identifier.
    ///   - account: names the session, for an app with several.
    ///   - accessGroup: shared with the app's extensions; nil for the app's own.
    public init(
        service: String = Bundle.main.bundleIdentifier ?? "handles", account: String = "session",
        accessGroup: String? = nil
    ) {
        let item: @Sendable () -> [CFString: Any] = {
            var item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                kSecUseDataProtectionKeychain: true,
            ]
            item[kSecAttrAccessGroup] = accessGroup
            return item
        }
        let accessible = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
        self.init(
            Calls(
                read: {
                    var found: CFTypeRef?
                    let query = item().merging([kSecReturnData: true]) { $1 }
                    return (SecItemCopyMatching(query as CFDictionary, &found), found as? Data)
                },
                add: { data in
                    let attributes: [CFString: Any] = [kSecValueData: data, kSecAttrAccessible: accessible]
                    return SecItemAdd(item().merging(attributes) { $1 } as CFDictionary, nil)
                },
                update: { SecItemUpdate(item() as CFDictionary, [kSecValueData: $0] as CFDictionary) },
                delete: { SecItemDelete(item() as CFDictionary) }))
    }
}
#endif
