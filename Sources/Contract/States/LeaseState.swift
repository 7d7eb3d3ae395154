package import ZoomModel

/// The state of `lease` while a client holds it; otherwise `null`.
package struct LeaseState: Sendable, Equatable {
    var client: ClientIdentity
    var until: String

    package init(client: ClientIdentity, until: String) { (self.client, self.until) = (client, until) }
}

extension LeaseState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        client = f.group(\.client)
        until = f("until", \.until, .stamp, "When it ends by itself.")
        f.demand(someOf: ["client"], field: "client", "required.")
    }
}
