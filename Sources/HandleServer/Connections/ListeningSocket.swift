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

        /// Keeps no byte of a packet that asks for a connection (SYN without ACK), and all of every other: whoever is in
        /// the middle of connecting gets to the end of it.
        private static let dropSYN: Program = {
            let code = [
                // The flags: byte 13 of the TCP header (RFC 9293, section 3.1), which is where the packet begins here.
                Instruction(code: 0x30, jumpIfTrue: 0, jumpIfFalse: 0, operand: 13),
                Instruction(code: 0x54, jumpIfTrue: 0, jumpIfFalse: 0, operand: 0x12),
                Instruction(code: 0x15, jumpIfTrue: 0, jumpIfFalse: 1, operand: 0x02),
                Instruction(code: 0x06, jumpIfTrue: 0, jumpIfFalse: 0, operand: 0),
                Instruction(code: 0x06, jumpIfTrue: 0, jumpIfFalse: 0, operand: .max),
            ]
            let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: code.count)
            instructions.initialize(from: code, count: code.count)
            return Program(length: UInt16(code.count), instructions: instructions)
        }()

        /// SO_ATTACH_FILTER of <asm-generic/socket.h>.
        private static let attachFilter = NIOBSDSocket.Option(rawValue: 26)

        /// Drops what arrives for the socket itself; connections that were made are sockets of their own.
        /// - Returns: whether the system does so now.
        static func dropNewConnections(_ listener: any Channel) async -> Bool {
            guard let socket = listener as? any SocketOptionProvider else { return false }
            let attached = socket.unsafeSetSocketOption(level: .socket, name: attachFilter, value: dropSYN)
            return (try? await attached.get()) != nil
        }
    #else
        static func dropNewConnections(_ listener: any Channel) async -> Bool { false }
    #endif
}
