import Glibc
import HandleServer
import NIOCore

/// The address on which the service listens.
struct ListeningAddress: CustomStringConvertible {
    let host: String
    let port: Int

    /// The host and the port as in a URL.
    var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Binds a socket for a moment, so that an address that can't be used is found before anything is made.
    /// - Throws: ``CommandFault`` with exit status 69.
    func check() throws {
        let address: SocketAddress
        do {
            address = try .makeAddressResolvingHost(host, port: port)
        } catch let error as SocketAddressError.UnknownHost {
            throw CommandFault(.unavailable, "can't listen on \(self): \(error.errorDescription)")
        }
        try address.withSockAddr { pointer, size in
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            let descriptor = socket(Int32(pointer.pointee.sa_family), type, 0)
            guard descriptor >= 0 else { throw fault(errno) }
            defer { close(descriptor) }
            // As the server does: connections of an earlier run may still be in TIME_WAIT.
            var isReused: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, pointer, socklen_t(size)) == 0 else { throw fault(errno) }
        }
    }

    /// The fault after an error of the system.
    func fault(_ number: Int32) -> CommandFault {
        let sentence =
            switch number {
            case EADDRINUSE:
                "port \(port) of \(host) is in use: stop the other program, or choose another --port"
            case EADDRNOTAVAIL: "can't listen on \(self): this machine does not have that address"
            default: "can't listen on \(self): \(String(cString: strerror(number)))"
            }
        return CommandFault(.unavailable, sentence)
    }
}

extension ServerConfiguration {
    var address: ListeningAddress { ListeningAddress(host: host, port: port) }
}
