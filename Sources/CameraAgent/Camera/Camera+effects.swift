internal import Cameras
internal import Picture
internal import Messages

/// A camera's effects, by the agent where the camera has none of its own.
extension Camera {
    /// As V4L2 calls it (`V4L2_CID_COLORFX`), so that a controller needn't know who does it.
    static let effects = "color_effects"

    /// V4L2's numbers, and one of ours for what it doesn't know.
    private static let options: [(value: Double, title: String, effect: Effect)] = [
        (0, "None", .none), (1, "Mono", .mono), (2, "Sepia", .sepia), (3, "Negative", .negative),
        (100, "Posterise", .posterise),
    ]

    private var hasOwnEffects: Bool { backend.controls.contains { $0.name == Self.effects } }

    /// The camera's own controls, and what the agent does for it.
    var controls: [Control] {
        let own = backend.controls
        if hasOwnEffects { return own }
        let options = Self.options.map { Control.Option($0.value, $0.title) }
        let value = setControls[Self.effects]?.forCamera
        return own + [
            Control(Self.effects, "Color Effects", .picker(options), default: .number(0), value: value)
        ]
    }

    /// What is done to each frame.
    var effect: Effect {
        guard let value = setControls[Self.effects], !hasOwnEffects else { return .none }
        return Self.options.first { .number($0.value) == value }?.effect ?? .none
    }

    /// Whether a control is done by the agent, and not by the camera.
    func isOurs(_ control: String) -> Bool { control == Self.effects && !hasOwnEffects }
}
