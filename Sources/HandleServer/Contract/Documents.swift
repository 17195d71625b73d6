import CResources

/// The documents that the service publishes.
enum Documents {
    /// The OpenAPI document: JSON, in UTF-8.
    static var contract: [UInt8] { bytes(of: cresources_openapi()) }

    /// `docs/problems.md`, with a section for each problem type, in UTF-8.
    static var problems: [UInt8] { bytes(of: cresources_problems()) }

    private static func bytes(of file: cresource) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
