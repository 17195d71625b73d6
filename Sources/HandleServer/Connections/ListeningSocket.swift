import NIOCore

/// What can be done with a listening socket besides taking connections.
enum ListeningSocket {
    #if os(Linux)
        /// As `struct sock_filter` of <linux/filter.h>: one instruction of a packet filter.
        private struct Instruction {
            let code: UInt16
            let jumpIfTrue: UInt8
            let jumpIfFalse: UInt8
            let operand: UInt32
        }

        /// As `struct sock_fprog`. It points to memory that is never changed or given back.
        private struct Program: @unchecked Sendable {
            let length: UInt16
            let instructions: UnsafePointer<Instruction>
        }

        /// One instruction, BPF_RET | BPF_K with 0: keep no byte of any packet.
        private static let dropEverything: Program = {
            let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: 1)
            instructions.initialize(to: Instruction(code: 0x06, jumpIfTrue: 0, jumpIfFalse: 0, operand: 0))
            return Program(length: 1, instructions: instructions)
        }()

        /// SO_ATTACH_FILTER of <asm-generic/socket.h>.
        private static let attachFilter = NIOBSDSocket.Option(rawValue: 26)

        /// Drops what arrives for the socket itself; connections that were made are sockets of their own.
        /// - Returns: whether the system does so now.
        static func dropNewConnections(_ listener: any Channel) async -> Bool {
            guard let socket = listener as? any SocketOptionProvider else { return false }
            let attached = socket.unsafeSetSocketOption(level: .socket, name: attachFilter, value: dropEverything)
            return (try? await attached.get()) != nil
        }
    #else
        static func dropNewConnections(_ listener: any Channel) async -> Bool { false }
    #endif
}
