internal import Cameras
internal import Contract

/// The control `color_effects` of a camera that has none of its own: the agent changes the frames instead.
enum EmulatedEffects {
    /// The name that V4L2's `V4L2_CID_COLORFX` has, so that controllers need not distinguish them.
    static let name = "color_effects"

    /// V4L2's menu numbers, and one beyond them for an effect that V4L2 doesn't define.
    private static let options: [(value: Double, title: String, effect: Effect)] = [
        (0, "None", .none), (1, "Mono", .mono), (2, "Sepia", .sepia), (3, "Negative", .negative),
        (100, "Posterise", .posterise),
    ]

    /// The control with its present value.
    static func control(_ value: ControlValue?) -> Control {
        Control(
            name, "Color Effects", .picker(options.map { Control.Option($0.value, $0.title) }),
            default: .number(0), value: value)
    }

    static func effect(of value: ControlValue?) -> Effect {
        guard let value else { return .none }
        return options.first { .number($0.value) == value }?.effect ?? .none
    }
}
