/// The variables that Kubernetes adds to every container for each Service of its namespace. For a Service called
/// `handles` or `handles-…` they have the prefix of our settings, but they are not settings.
enum ServiceLink {
    static func isOne(_ name: String, _ value: String) -> Bool {
        guard name.hasPrefix("HANDLES_") else { return false }
        return name.contains(
            #/_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/#)
            || name.hasSuffix("_PORT") && value.contains(#/^(tcp|udp|sctp):\/\//#)
    }
}
