import Foundation
import NIOConcurrencyHelpers
import Sessions

/// A keychain with one item. It can be locked, and another program can add the item first.
final class Keychain: Sendable {
    let item = NIOLockedValueBox<Data?>(nil)
    let status = NIOLockedValueBox<Int32>(0)
    let addsFirst = NIOLockedValueBox<Data?>(nil)

    var storage: KeychainStorage {
        KeychainStorage(
            .init(
                read: { self.answer { $0 == nil ? -25_300 : 0 }.withItem },
                add: { data in
                    if let other = self.addsFirst.withLockedValue({ $0 }) {
                        self.item.withLockedValue { $0 = other }
                    }
                    return self.answer { item in
                        guard item == nil else { return -25_299 }
                        item = data
                        return 0
                    }.status
                },
                update: { data in
                    self.answer { item in
                        guard item != nil else { return -25_300 }
                        item = data
                        return 0
                    }.status
                },
                delete: {
                    self.answer { item in
                        defer { item = nil }
                        return item == nil ? -25_300 : 0
                    }.status
                }))
    }

    private func answer(_ body: (inout Data?) -> Int32) -> (status: Int32, withItem: (Int32, Data?)) {
        let fault = status.withLockedValue { $0 }
        if fault != 0 { return (fault, (fault, nil)) }
        return item.withLockedValue { item in
            let status = body(&item)
            return (status, (status, item))
        }
    }
}
