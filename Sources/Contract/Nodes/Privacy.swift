package import ZoomModel

extension Node {
    package static var privacy: Node { Node(Privacy.self) }

    /// Whether the device is closed on purpose.
    package enum Privacy: NodeContract {
        package typealias Command = PrivacyCommand
        package typealias State = PrivacyState
        package static var name: String { "privacy" }

        /// The contract takes `ON` in upper and lower case. Every other value needs `manage`.
        package static func role(for payload: JSONObject) -> Role? {
            payload["state"]?.text?.uppercased() == "ON" ? .control : .manage
        }
    }
}

/// Whether a camera is private.
package enum PrivacySet: String, Sendable, FieldWord {
    /// Closes the device.
    case on = "ON"
    /// Opens the device again.
    case off = "OFF"
}

/// The payload of `privacy/set`: `ON`, `OFF`, `true`, `false`, or an object.
package struct PrivacyCommand: SwitchForm {
    package let state: PrivacySet

    /// Another client's lease doesn't keep a camera public, and neither does the limit of the client.
    package var policy: CommandPolicy {
        CommandPolicy(needsDevice: false, isRateLimited: state == .off, savesState: true)
    }

    package init(isOn: Bool) { state = isOn ? .on : .off }

    package init(_ f: inout some FormVisitor<Self>) {
        state = f(
            "state", \.state, .any, "`ON` closes the device, `OFF` opens it again.",
            missing: "required: \"ON\" or \"OFF\".")
    }
}

/// The state of `privacy`.
package struct PrivacyState: StateForm {
    var state: PrivacySet
    var client: String?
    var proved: Bool?
    var since: String?

    package init(_ state: PrivacySet, client: String?, proved: Bool?, since: String?) {
        (self.state, self.client, self.proved, self.since) = (state, client, proved, since)
    }

    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        state = f("state", \.state, .any, "`ON`: the device is closed.")
        (client, proved) = f.client(\.client, \.proved, "Who set it.")
        since = f.maybe("since", \.since, .stamp, "When it was set.")
    }
}

extension Node.Privacy {
    package struct Saved: SavedPart {
        /// The last command; nil: there was none.
        package var privacy: SavedPrivacy?

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            privacy = f.maybe("privacy", \.privacy, .any, "The last command.")
            f.check(
                privacy?.isValid ?? true, "privacy",
                "expected a client of 1 to 129 bytes with isProved, and a time.")
        }
    }
}

/// The last command of `privacy`.
package struct SavedPrivacy: Sendable, Equatable, Form {
    /// The camera's own privacy control, as it was before the agent set it.
    package struct ControlBefore: Sendable, Equatable, Form {
        package var name: String
        package var value: ControlValue

        package init(name: String, value: ControlValue) { (self.name, self.value) = (name, value) }

        package init(_ f: inout some FormVisitor<Self>) {
            name = f("name", \.name, .any, "Of the control.")
            value = f("value", \.value, .any, "Before the agent set it.")
        }
    }

    package var isOn: Bool
    /// The name of the client that sent it; nil: it gave none.
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var isProved: Bool?
    /// When it was carried out (RFC 3339).
    package var since: String
    /// What the control is set to when the device is opened again; nil: the agent hasn't set it.
    package var controlBefore: ControlBefore?

    package init(isOn: Bool, by client: ClientIdentity?, since: String, controlBefore: ControlBefore?) {
        (self.isOn, self.client, isProved) = (isOn, client?.name, client?.isProved)
        (self.since, self.controlBefore) = (since, controlBefore)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        isOn = f("isOn", \.isOn, .any, "Whether the camera is private.")
        client = f.maybe("client", \.client, .any, "Who sent the command.")
        isProved = f.maybe("isProved", \.isProved, .any, "Whether it came on the topic of its account.")
        since = f("since", \.since, .any, "When it was carried out.")
        controlBefore = f.maybe("controlBefore", \.controlBefore, .any, "The camera's own control.")
    }

    fileprivate var isValid: Bool {
        client.map(TextRule.identity.fits) ?? true && (client == nil) == (isProved == nil)
            && Timestamp.date(since) != nil
    }
}
