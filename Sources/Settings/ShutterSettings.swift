/// What a camera's shutter buttons do.
package struct ShutterSettings: Sendable, Equatable {
    package var primary = ShutterAction.photo
    /// Where the configuration gives none: the same as ``primary``.
    package var secondary = ShutterAction.photo
    /// A button that is held for this long records until it is released: at most 10 s. Nil: never.
    package var longPress: Duration? = .milliseconds(500)
    /// The sound that a remote button plays: `default`, `none`, or a name that the user chose. At most
    /// 64 bytes.
    package var sound = "default"
    /// Topics of the bus that act as shutter buttons.
    package var buttons: [RemoteButton] = []
}

package enum ShutterAction: String, CaseIterable, Sendable {
    /// Take a photo.
    case photo
    /// Start a recording, or end the present one.
    case record
}

/// A topic of the bus that acts as a shutter button, and the words that its messages use. The sender needs no
/// knowledge of the agent.
package struct RemoteButton: Sendable, Equatable {
    /// At most 512 bytes, no wildcards, not below the agent's base topic.
    package var topic: String
    /// The path of the JSON field with the word, level by level. Empty: the payload is the word.
    package var field: [String] = []
    /// Words of 1 to 64 bytes, each for one event only; at least one. `press` stands for the beginning and
    /// the end of a press, `cancelled` for a press by mistake.
    package var press: [String] = []
    package var began: [String] = []
    package var ended: [String] = []
    package var cancelled: [String] = []
    package var role = ButtonRole.primary
    /// The person who presses the button is not at the camera: a sound event confirms the press.
    package var isRemote = true
}

extension RemoteButton {
    /// A button without words.
    package init(topic: String) { self.init(topic: topic, role: .primary) }
}

/// Which of a camera's two actions a button starts.
package enum ButtonRole: String, CaseIterable, Sendable {
    case primary, secondary
}
