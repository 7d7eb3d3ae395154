/// The console's names, account and MQTT options.
package struct ConsoleSettings: Sendable {
    /// The base topic of all agents.
    var baseTopic: String
    /// The client in the console's own preview leases, and in the commands of a console without tokens.
    var name: String
    /// The console's account at the broker, if it can end a topic: proves who sends, and speaks for the
    /// pages.
    var account: String?
    /// The client id of the connection; no other client has it.
    var clientID: String
    var version: String

    package init(
        baseTopic: String, name: String, account: String?, clientID: String, version: String
    ) {
        (self.baseTopic, self.name, self.account) = (baseTopic, name, account)
        (self.clientID, self.version) = (clientID, version)
    }
}
