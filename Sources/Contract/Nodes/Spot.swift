extension Node {
    package static var spot: Node { Node(Spot.self) }

    /// Whether users have marked the camera as the one to watch.
    package enum Spot: NodeContract {
        package typealias Command = SpotSet
        package typealias State = SpotState
        package static var name: String { "spot" }

        package struct Saved: SavedPart {
            package var isOn = false

            package init() {}

            package init(_ f: inout some FormVisitor<Self>) {
                isOn = f("spot", \.isOn, .any, default: false, "Whether the camera is marked.")
            }
        }
    }
}

/// The payload of `spot/set`: `ON`, `OFF`, `true`, `false`, or an object.
package struct SpotSet: SwitchForm {
    package let isOn: Bool

    package var policy: CommandPolicy { CommandPolicy(needsDevice: false, savesState: true) }

    package init(isOn: Bool) { self.isOn = isOn }

    package init(_ f: inout some FormVisitor<Self>) {
        isOn = f("on", \.isOn, .any, "Marks the camera.", missing: "required: true or false.")
    }
}

/// The state of `spot`.
package struct SpotState: Sendable, Equatable, StateForm {
    package var isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    package init(_ f: inout some FormVisitor<Self>) {
        isOn = f("on", \.isOn, .any, "The camera is marked.")
    }
}
