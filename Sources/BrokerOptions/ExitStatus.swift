package import ArgumentParser

/// The exit codes of the programs, as in sysexits(3).
package enum ExitStatus {
    /// Wrong usage or configuration.
    package static let usage = ExitCode(64)
    /// The broker can't be reached, or the address of a server can't be used.
    package static let unavailable = ExitCode(69)
    /// A defect, or the system is out of memory, threads or descriptors.
    package static let defect = ExitCode(70)
    /// A file can't be read or written.
    package static let storage = ExitCode(74)
}
