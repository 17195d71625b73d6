import CResources

/// The documents that the service shows to callers.
enum Documents {
    /// The OpenAPI document: JSON, in UTF-8.
    static var contract: [UInt8] { bytes(of: cresources_openapi()) }

    /// `docs/problems.md`: each type of problem in a section of its own, in UTF-8.
    static var problems: [UInt8] { bytes(of: cresources_problems()) }

    private static func bytes(of file: cresource) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
