/// The sender of commands, as leases, rate limits, repeated ids and the origin of states know it.
///
/// Two identities are equal only if both are proved or neither is: a client that gives itself a name is
/// another one than the client that publishes on the topic of this name.
package struct ClientIdentity: Hashable, Sendable {
    /// 1 to 64 bytes. Of a client for which a delegate speaks: up to 129 bytes, `console/kitchen-tablet`.
    package let name: String
    /// Whether the command came on a topic that ends in the name of the client's account. The broker's ACL
    /// lets only this account publish there.
    package let isProved: Bool

    /// Whether an account speaks for the client, and so gives it its name. Names of accounts have no slash.
    package var isDelegated: Bool { isProved && name.utf8.contains(UInt8(ascii: "/")) }

    /// A client as it was stored with what it did.
    package init(stored name: String, isProved: Bool) { (self.name, self.isProved) = (name, isProved) }

    /// A client that gives itself a name, which proves nothing.
    package init(claimed name: String) { self.init(stored: name, isProved: false) }

    /// The client of an account of the broker.
    package init(account: String) { self.init(stored: account, isProved: true) }

    /// A client for which an account speaks.
    ///
    /// - Parameter name: as the account names it.
    package init(account: String, speakingFor name: String) {
        self.init(stored: "\(account)/\(name)", isProved: true)
    }
}
