import Foundation
import Sessions

/// One value in a file that is replaced as a whole and that only its user can read.
///
/// It is the `FileStorage` of Sessions: a file that can't be read throws an error, and is not taken for a missing one.
struct JSONFile<Value: Codable & Sendable>: Sendable {
    private let storage: FileStorage

    init(_ storage: FileStorage) { self.storage = storage }

    /// The stored value; nil when there is none.
    func load() throws -> Value? {
        guard let data = try storage.load() else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw StorageError(.damaged, "a stored \(Value.self) can't be decoded: \(type(of: error))")
        }
    }

    func save(_ value: Value) throws { try storage.save(JSONEncoder().encode(value)) }

    func clear() throws { try storage.clear() }
}

/// A value for each person, in one folder.
struct JSONFolder<Value: Codable & Sendable>: Sendable {
    let folder: URL

    /// The file is named by a hash, because an owner's id has characters that no file name should have.
    func file(of owner: String) -> JSONFile<Value> {
        JSONFile(FileStorage(folder: folder, name: Secret.hash(owner)))
    }
}
