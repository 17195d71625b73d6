/// The variables that Kubernetes puts into every container for each Service of its namespace: those of a Service called
/// `handles`, or `handles-…`, begin like our settings and are none.
enum ServiceLink {
    static func isOne(_ name: String, _ value: String) -> Bool {
        guard name.hasPrefix("HANDLES_") else { return false }
        return name.contains(
            #/_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/#)
            || name.hasSuffix("_PORT") && value.contains(#/^(tcp|udp|sctp):\/\//#)
    }
}
