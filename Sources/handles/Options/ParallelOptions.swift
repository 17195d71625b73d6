import ArgumentParser
import Foundation

/// Limits of a command that works on a file of names without changing the registry.
struct ParallelOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "Number of parallel jobs. (default: one for each processor)") var jobs: Int?
    @Option(
        parsing: .unconditional,
        help: "Memory limit in MiB for comparing names with each other; a distinct name takes about 25 bytes.")
    var memory = 1024

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 1024.") }
        guard (16...1 << 20).contains(memory) else { throw ValidationError("--memory is a number of MiB from 16 on.") }
    }

    var jobsOrProcessors: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }
    var memoryInBytes: Int { memory << 20 }
}
