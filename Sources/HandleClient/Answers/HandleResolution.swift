public import Foundation
public import HandleRules

/// The end of the way from a name.
public enum HandleResolution: Sendable, Hashable {
    /// The name is claimed. Only callers with a key get the owner's id.
    case found(DisplayHandle, owner: String?)
    /// The name is an old one. Until this moment it leads to its former owner's present name, which may change
    /// meanwhile.
    case moved(to: DisplayHandle, until: Date)
    /// The name leads nowhere.
    case none

    /// The name to show instead of the one in a link; nil if it leads nowhere.
    public var display: DisplayHandle? {
        switch self {
        case .found(let display, _), .moved(let display, _): display
        case .none: nil
        }
    }
}

/// The ends of the ways from many names, and the names of many owners.
public struct HandleResolutions: Sendable, Hashable {
    /// One for each name, in the order asked.
    public let handles: [HandleResolution]
    /// The claimed names of each owner in alphabetical order, with the owners in the order asked.
    public let owners: [[DisplayHandle]]

    /// - Throws: ``Unreadable``, also when it is about other names or owners.
    init(_ wire: Wire, about handles: [String], _ owners: [String]) throws(Unreadable) {
        guard wire.handles.count == handles.count, wire.owners.count == owners.count else { throw Unreadable() }
        var resolutions: [HandleResolution] = []
        for (wire, handle) in zip(wire.handles, handles) { resolutions.append(try wire.resolution(of: handle)) }
        var names: [[DisplayHandle]] = []
        for (wire, owner) in zip(wire.owners, owners) { names.append(try wire.names(of: owner)) }
        self.handles = resolutions
        self.owners = names
    }

    struct Wire: Decodable {
        struct Found: Decodable {
            let handle: String
            let display: String
            let owner: String?

            var name: NameWire { NameWire(handle: handle, display: display) }
        }

        struct Moved: Decodable {
            let to: NameWire
            let until: String
        }

        struct Entry: Decodable {
            let input: String
            let found: Found?
            let moved: Moved?
            let none: Bool?

            func resolution(of input: String) throws(Unreadable) -> HandleResolution {
                guard self.input.utf8.elementsEqual(input.utf8) else { throw Unreadable() }
                switch (found, moved, none) {
                case (let found?, nil, nil):
                    let display = try found.name.name
                    guard display.handle == Reading(folding: input).handle else { throw Unreadable() }
                    return .found(display, owner: found.owner)
                case (nil, let moved?, nil):
                    guard let until = Moment.read(moved.until) else { throw Unreadable() }
                    return .moved(to: try moved.to.name, until: until)
                case (nil, nil, true): return .none
                default: throw Unreadable()
                }
            }
        }

        struct Owned: Decodable {
            let owner: String
            let found: [NameWire]?
            let none: Bool?

            func names(of owner: String) throws(Unreadable) -> [DisplayHandle] {
                guard self.owner.utf8.elementsEqual(owner.utf8), (found == nil) == (none == true) else {
                    throw Unreadable()
                }
                var names: [DisplayHandle] = []
                for name in found ?? [] { names.append(try name.name) }
                return names
            }
        }

        let handles: [Entry]
        let owners: [Owned]
    }
}
