/// The documentation that the binary carries.
public enum Docs {
    /// `problems.md`: each type of problem in a section of its own, in UTF-8.
    public static var problems: [UInt8] { PackageResources.problems_md }
}
