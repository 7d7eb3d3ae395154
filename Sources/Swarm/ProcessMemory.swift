internal import FoundationEssentials

/// The memory of processes of this machine.
package enum ProcessMemory {
    /// The bytes of a process, with its part of what it shares with others (PSS); where the system does not
    /// tell another user, all that is resident (RSS).
    ///
    /// - Returns: nil: there is no such process.
    package static func bytes(ofProcess process: Int32) -> Int? {
        value("Pss:", in: "/proc/\(process)/smaps_rollup") ?? value("VmRSS:", in: "/proc/\(process)/status")
    }

    private static func value(_ name: String, in path: String) -> Int? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return kilobytes(name, in: String(decoding: data, as: UTF8.self)).map { $0 * 1024 }
    }

    /// The number of a line such as `Pss:    12 kB`; nil: there is none.
    static func kilobytes(_ name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }
}
