internal import MQTTBus
internal import StateStore

/// The program and the computer that run an agent.
package struct AgentHost: Sendable {
    /// The program's version.
    package var version: String
    /// The computer's name.
    package var name: String

    package init(version: String, name: String) { (self.version, self.name) = (version, name) }

    /// The level of the contract with controllers. It rises with a change that an older controller wouldn't
    /// understand.
    static let protocolLevel = 1
}

/// Why an agent can't start.
package enum StartProblem {
    /// The settings can't be used.
    case configuration
    /// The state can't be stored.
    case storage
    /// The system refused threads or descriptors.
    case other

    package init(_ error: any Error) {
        switch error {
        case is BusError: self = .configuration
        case is StateStoreError: self = .storage
        default: self = .other
        }
    }
}
