import Foundation
import Sessions
import FileSessionStorage

/// One value in a file. Only the program's user can read the file, and each save replaces it atomically.
///
/// It uses `FileStorage`: a file that can't be read is an error, and not a missing value.
struct JSONFile<Value: Codable & Sendable>: Sendable {
    private let storage: FileStorage

    init(_ storage: FileStorage) { self.storage = storage }

    /// The stored value; nil if there is none.
    /// - Throws: `SessionError`.
    func load() throws -> Value? {
        guard let data = try storage.load() else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw SessionError(.storeDamaged, "a stored \(Value.self) can't be decoded: \(type(of: error))")
        }
    }

    func save(_ value: Value) throws { try storage.save(JSONEncoder().encode(value)) }

    func clear() throws { try storage.clear() }
}

/// A folder with one value for each person.
struct JSONFolder<Value: Codable & Sendable>: Sendable {
    let folder: URL

    /// The file's name is a hash, because an owner's id may contain characters that are not safe in file names.
    func file(of owner: String) -> JSONFile<Value> {
        JSONFile(FileStorage(folder: folder, name: Secret.hash(owner)))
    }
}
