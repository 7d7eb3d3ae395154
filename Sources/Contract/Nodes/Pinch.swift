package import ZoomModel

extension Node {
    package static var pinch: Node { Node(Pinch.self) }

    /// A gesture of two fingers; the state is that of the one under way.
    package enum Pinch: NodeContract {
        package typealias Command = PinchSample
        package typealias State = PinchState
        package static var name: String { "pinch" }
        package static var isNullable: Bool { true }
    }
}

/// The payload of `pinch/set`.
extension PinchSample: CommandForm {
    package var policy: CommandPolicy {
        CommandPolicy(movesZoom: true, runsOnce: false, isRateLimited: false, savesState: true)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        let gesture = f(
            "gesture", \.gesture, .upTo(64), FormText.gesture, missing: "required: a name for this gesture.")
        let phase = f(
            "phase", \.phase, .any, "", missing: "required: began, changed, ended or cancelled.")
        let scale = f.maybe(
            "scale", \.scale, .above(0),
            "Of the distance between the fingers, required with `changed`; see `mode`.")
        let sequence = f.maybe(
            "seq", \.sequence, .from(0), "Not above the last: a `changed` is ignored.")
        let mode = f(
            "mode", \.mode, .any, default: .cumulative,
            "`scale` is relative to the start, or to the message before.")
        let anchor = f.maybe(
            "anchor", \.anchor, .any,
            "Between the fingers; stays in place.")
        let revert = f.maybe(
            "revert", { $0.revert ? true : nil }, .any,
            "With `cancelled`: takes back what the gesture did.")
        f.demand(
            "scale", when: .equal("phase", .text("changed")),
            "a pinch that changed needs it: a number above 0.")
        f.refuse(
            ["revert"], if: revert != nil, when: .unequal("phase", .text("cancelled")),
            "allowed only with the phase \"cancelled\".")
        self.init(
            gesture: gesture, phase: phase, scale: scale, sequence: sequence, mode: mode, anchor: anchor,
            revert: revert ?? false)
    }
}

extension PinchSample.Phase: FieldWord {}
extension PinchSample.Mode: FieldWord {}

/// The state of `pinch` while there is one; otherwise it is `null`.
package struct PinchState: StateForm {
    var gesture: String
    var client: ClientIdentity?
    var base: Double
    var scale: Double

    package init(_ running: RunningGesture) {
        (gesture, client, base, scale) = (running.gesture, running.client, running.base, running.scale)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        gesture = f("gesture", \.gesture, .id, "Its name.")
        client = f.option(\.client)
        base = f(
            "base", \.base, .factor,
            "The factor at scale 1.")
        scale = f("scale", \.scale, .factor, "Of the whole gesture.")
    }
}
