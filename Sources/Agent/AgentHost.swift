/// The program and the computer that run an agent.
package struct AgentHost: Sendable {
    /// The program's version.
    var version: String
    /// The computer's name.
    var name: String
    /// Where the agent keeps its state.
    var storage = StateStorage.file
    /// Whether a state of a version with a journal is taken without its newest changes.
    var discardsJournal = false
    /// Whether this run of the program replaces an earlier one that has ended itself: to use another
    /// configuration, or to serve another camera. Its first connection does not wait for its part of
    /// `mqtt.spread_s`: where the whole fleet restarts, the earlier run has waited.
    var isRestarted = false

    /// The level of the contract with controllers. It rises with a change that an older controller wouldn't
    /// understand.
    static let protocolLevel = 1
}

/// Where an agent keeps its state.
package enum StateStorage: Sendable {
    /// In the file of its settings.
    case file
    /// In memory: the state ends with the agent, which begins as if it had run before without a change. It
    /// takes no thread and touches no file. For simulations with many agents in a process.
    case memory
}
