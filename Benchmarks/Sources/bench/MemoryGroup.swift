import Foundation

/// A control group of Linux that limits the memory of processes, the system's cache of their files included.
struct MemoryGroup {
    private let folder: String
    private let limitFile: String

    /// Nil if this process can't make one: that needs root, and the memory controller.
    init?() {
        let name = "handles-bench-\(getpid())"
        for (root, file) in [
            ("/sys/fs/cgroup/memory/", "memory.limit_in_bytes"), ("/sys/fs/cgroup/", "memory.max"),
        ] {
            let folder = root + name
            guard getuid() == 0,
                (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)) != nil
            else { continue }
            if FileManager.default.fileExists(atPath: folder + "/" + file) {
                (self.folder, limitFile) = (folder, folder + "/" + file)
                return
            }
            rmdir(folder)
        }
        return nil
    }

    /// Moves a process and its children into the group, forgets all cached files, and sets the limit.
    func limit(_ process: Int, to bytes: Int) throws {
        for process in [process] + Self.children(of: process) { try write("\(process)", to: folder + "/cgroup.procs") }
        sync()
        try write("3", to: "/proc/sys/vm/drop_caches")
        try write("\(bytes)", to: limitFile)
    }

    /// Removes the group, which must be empty.
    func remove() { rmdir(folder) }

    private func write(_ text: String, to file: String) throws {
        guard let handle = FileHandle(forWritingAtPath: file) else {
            throw Program.Failure(description: "can't write \(file)")
        }
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private static func children(of parent: Int) -> [Int] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int($0) }.filter { process in
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            // The name of the program, in parentheses, may have spaces. The state and the parent follow.
            return stat.split(separator: ")").last?.split(separator: " ").dropFirst().first.map(String.init)
                == "\(parent)"
        }
    }
}
