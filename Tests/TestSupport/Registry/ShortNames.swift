package import HandleRules

/// A test passed a text that is not a handle or not the id of an owner.
private struct InvalidText: Error { let text: String }

/// The handle with these letters.
package func handle(_ text: String) throws -> Handle {
    guard let handle = Handle(text) else { throw InvalidText(text: text) }
    return handle
}

/// The owner with this id.
package func owner(_ id: String) throws -> Owner {
    guard let owner = Owner(id) else { throw InvalidText(text: id) }
    return owner
}
