package import ZoomModel

extension Node {
    package static var touch: Node { Node(Touch.self) }

    /// Fingers on the view; the state is that of the gesture under way.
    package enum Touch: NodeContract {
        package typealias Command = TouchSample
        package typealias State = TouchState
        package static var name: String { "touch" }
        package static var isNullable: Bool { true }
    }
}

/// The payload of `touch/set`.
extension TouchSample: CommandForm {
    package var policy: CommandPolicy {
        CommandPolicy(movesZoom: true, runsOnce: false, isRateLimited: false, savesState: true)
    }

    /// The maximum number of fingers in one message.
    private static let maxFingers = 10

    package init(_ f: inout some FormVisitor<Self>) {
        let gesture = f(
            "gesture", \.gesture, .upTo(64), FormText.gesture, missing: "required: a name for this gesture.")
        let sequence = f.maybe(
            "seq", \.sequence, .from(0),
            "Not above the last: only lifted fingers count.")
        let touches = f(
            "touches", \.touches, .some(upTo: Self.maxFingers, each: .any),
            "Those that changed.", missing: Self.noFingers)
        f.check(!touches.isEmpty, "touches", Self.noFingers)
        self.init(gesture: gesture, sequence: sequence, touches: touches)
    }

    private static var noFingers: String { "required: a list of the fingers that changed." }
}

extension Touch: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let finger = f(
            "id", \.finger, .upTo(64, .orNumber),
            "Of the finger while it is down; an integer is the same as its digits.",
            missing: "required: a name or a number for this finger.")
        let place = f.group(\.place)
        let phase = f("phase", \.phase, .any, "", missing: "required: began, moved, ended or cancelled.")
        self.init(finger: finger, place: place, phase: phase)
    }
}

extension Touch.Phase: FieldWord {}

/// The state of `touch` while fingers are down; otherwise it is `null`.
package struct TouchState: StateForm {
    var gesture: String
    var client: ClientIdentity?
    var fingers: Int

    package init(_ running: RunningGesture) {
        (gesture, client, fingers) = (running.gesture, running.client, running.fingers ?? 1)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        gesture = f("gesture", \.gesture, .id, "Its name.")
        client = f.option(\.client)
        fingers = f("fingers", \.fingers, .within(1...2), "In use: one drags, two pinch.")
    }
}
