internal import ArgumentParser

/// How the program ends, after sysexits(3).
enum ExitStatus {
    /// Wrong usage or configuration.
    static let usage = ExitCode(64)
    /// The broker can't be reached.
    static let unavailable = ExitCode(69)
    /// A defect, or the machine is out of something that every program needs.
    static let defect = ExitCode(70)
    /// The state file can't be written.
    static let storage = ExitCode(74)
}
