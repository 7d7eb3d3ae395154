import Contract
internal import ZoomModel

/// The last command of `privacy`.
package struct SavedPrivacy: Sendable, Equatable, Codable {
    /// The camera's own privacy control, as it was before the agent set it.
    package struct ControlBefore: Sendable, Equatable, Codable {
        var name: String
        var value: ControlValue
    }

    package var isOn: Bool
    /// The name of the client that sent it; nil: it gave none.
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    var isProved: Bool?
    /// When it was carried out (RFC 3339).
    package var since: String
    /// What the control is set to when the device is opened again; nil: the agent hasn't set it.
    package var controlBefore: ControlBefore?

    init(isOn: Bool, by client: ClientIdentity?, since: String, controlBefore: ControlBefore?) {
        (self.isOn, self.client, isProved) = (isOn, client?.name, client?.isProved)
        (self.since, self.controlBefore) = (since, controlBefore)
    }
}
