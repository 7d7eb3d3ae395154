package import ZoomModel

extension Node {
    package static var pinch: Node { Node(Pinch.self) }

    /// A gesture of two fingers; the state is that of the one under way.
    package enum Pinch: NodeContract {
        package typealias Command = PinchSample
        package typealias State = PinchState
        package static var name: String { "pinch" }
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
            "Distance between the fingers as a multiple; see `mode`. In `began`, 1 if it is absent.")
        let sequence = f.maybe(
            "seq", \.sequence, .from(0), "A `changed` whose seq is not greater than the last one is ignored.")
        let mode = f(
            "mode", \.mode, .any, default: .cumulative,
            """
            `cumulative`: `scale` is relative to the start of the gesture, and what the range cuts off is \
            remembered. `incremental`: it is relative to the message before and multiplies the clamped target.
            """)
        let anchor = f.maybe(
            "anchor", \.anchor, .any,
            "The point between the fingers, which stays in place. A point outside the view is clamped to it.")
        let revert = f.maybe(
            "revert", { $0.revert ? true : nil }, .any,
            "Restores the zoom and the view as they were when the gesture began or was last rebased.")
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
package struct PinchState: Sendable, Equatable, StateForm {
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
            "The factor at scale 1; another change of the zoom or the view changes it.")
        scale = f("scale", \.scale, .factor, "Of the whole gesture, without what the range cut off.")
    }
}
