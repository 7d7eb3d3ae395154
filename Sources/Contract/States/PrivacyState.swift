/// The state of `privacy`.
package struct PrivacyState: Sendable, Equatable {
    var state: PrivacySet
    var client: String?
    var proved: Bool?
    var since: String?

    package init(_ state: PrivacySet, client: String?, proved: Bool?, since: String?) {
        (self.state, self.client, self.proved, self.since) = (state, client, proved, since)
    }
}

extension PrivacyState: StateForm {
    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        state = f("state", \.state, .any, "`ON`: the device is closed.")
        client = f.maybe("client", \.client, .identity, "Who set it.")
        proved = f.maybe("proved", \.proved, .any, "Whether its topic proves the client.")
        since = f.maybe("since", \.since, .stamp, "When it was set.")
        f.demand("proved", when: .given("client"), "required with client.")
        f.demand("client", when: .given("proved"), "required with proved.")
    }
}
