internal import CLinux
internal import Glibc

/// Counts the runs of the program that ended by a fault, in a file. A broker that breaks the protocol ends
/// the process by an assertion of libmosquitto, and would do so with each connection: the next run waits
/// before it connects. A process that is killed is not counted.
struct Faults {
    /// A connection of this length clears the count.
    static let clearedAfter = Duration.seconds(60)

    /// Nil: nothing is counted.
    private let file: String?
    private(set) var count: Int

    init(file: String?) {
        self.file = file
        var status = stat()
        count = file.map { stat($0, &status) == 0 ? Int(status.st_size) : 0 } ?? 0
    }

    /// Before the first connection: 0, 1, 2, 4 … 30 s.
    var wait: Duration { count < 2 ? .zero : .seconds(min(30, 1 << min(count - 2, 5))) }

    /// Counts a fault of this run, too.
    func observe() {
        if let file { clinux_count_faults(file) }
    }

    mutating func clear() {
        if let file, count > 0 { unlink(file) }
        count = 0
    }
}
