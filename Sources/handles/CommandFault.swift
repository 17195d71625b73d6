import ArgumentParser
import EmbeddedPostgres
import Foundation
import HandleRegistry
import NameFiles
import Postgres

/// An error that ends a command, with one sentence and an exit status. Exit statuses are defined only here.
struct CommandFault: Error, CustomStringConvertible {
    enum Status: Int32, CaseIterable {
        /// Some names were refused, or a check failed.
        case refused = 1
        case usage = 64
        case unreadableData = 65
        case noInput = 66
        case unavailable = 69
        case ours = 70
        case cannotWrite = 73
        case interrupted = 130
    }

    let status: Status
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Some names were refused; the output has said so already.
    static let refused = CommandFault(.refused, "")

    /// There is no private PostgreSQL in the data folder, and no other database is set.
    static func noRegistry(in folder: String) -> CommandFault {
        let path = folder.hasPrefix("/") ? folder : "\(FileManager.default.currentDirectoryPath)/\(folder)"
        return CommandFault(
            .unavailable,
            "no registry in \(path): run this where the service runs, or name its data folder with --data or HANDLES_DATA, "
                + "or its database with DATABASE_URL; handles serve and handles migrate make a new registry")
    }

    init(_ error: any Error) {
        switch error {
        case let fault as CommandFault: self = fault
        case let error as EmbeddedPostgresError: self.init(.unavailable, error.description)
        case let error as RegistryError: self.init(.unavailable, error.description)
        case let error as PostgresError where error.isReadOnly:
            self.init(
                .unavailable, "the database is read-only or a standby; connect to the primary")
        case let error as PostgresError where error.isTransient || error.isOfSetUp:
            self.init(.unavailable, "the database can't be used (\(error))")
        case let error as PostgresError: self.init(.ours, "the database answered in an unexpected way (\(error))")
        case let error as RecordsError:
            self.init(error.code == .noInput ? .noInput : .unreadableData, error.description)
        case let error as BatchError:
            switch error.code {
            case .tooLarge: self.init(.unreadableData, error.description)
            case .cannotWrite: self.init(.cannotWrite, error.description)
            case .usage: self.init(.usage, error.description)
            }
        case let error as ArchiveImport.Fault where error.isBeforeAll:
            self.init(.unreadableData, "line \(error.line) can't be imported: \(error); nothing was imported")
        case let error as ArchiveImport.Fault:
            self.init(
                .unreadableData,
                "line \(error.line) can't be imported: \(error); lines above it may be imported already; importing "
                    + "the corrected file again is safe")
        case is CancellationError: self.init(.interrupted, "interrupted")
        default: self.init(.ours, "something unexpected went wrong (\(error))")
        }
    }
}
