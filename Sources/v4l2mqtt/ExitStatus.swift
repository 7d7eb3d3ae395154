internal import Agent
internal import ArgumentParser

/// The exit codes of the program, as in sysexits(3).
enum ExitStatus {
    /// Wrong usage or configuration.
    static let usage = ExitCode(64)
    /// The broker can't be reached.
    static let unavailable = ExitCode(69)
    /// A defect, or the system is out of memory, threads or descriptors.
    static let defect = ExitCode(70)
    /// The state file can't be written.
    static let storage = ExitCode(74)
}

extension AgentService {
    /// Runs until a signal. Throws the exit code, unless it is 0.
    func runAsProgram() throws {
        do {
            try run()
        } catch {
            throw switch error {
            case .configuration: ExitStatus.usage
            case .unavailable: ExitStatus.unavailable
            case .defect: ExitStatus.defect
            case .storage: ExitStatus.storage
            }
        }
    }
}
