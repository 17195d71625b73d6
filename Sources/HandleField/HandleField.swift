/// The script of this folder, for servers in Swift.
public enum HandleField {
    /// `handle-field.js` in UTF-8, to serve as `text/javascript`.
    public static var script: [UInt8] { PackageResources.handle_field_js }
}
