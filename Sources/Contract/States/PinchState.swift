package import ZoomModel

/// The state of `pinch` while there is one; otherwise it is `null`.
package struct PinchState: Sendable, Equatable {
    var gesture: String
    var client: ClientIdentity?
    var base: Double
    var scale: Double

    package init(_ running: RunningGesture) {
        (gesture, client, base, scale) = (running.gesture, running.client, running.base, running.scale)
    }
}

extension PinchState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        gesture = f("gesture", \.gesture, .id, "Its name.")
        client = f.option(\.client)
        base = f(
            "base", \.base, .factor,
            "The factor at scale 1.")
        scale = f("scale", \.scale, .factor, "Of the whole gesture.")
    }
}

/// The state of `touch` while fingers are down; otherwise it is `null`.
package struct TouchState: Sendable, Equatable {
    var gesture: String
    var client: ClientIdentity?
    var fingers: Int

    package init(_ running: RunningGesture) {
        (gesture, client, fingers) = (running.gesture, running.client, running.fingers ?? 1)
    }
}

extension TouchState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        gesture = f("gesture", \.gesture, .id, "Its name.")
        client = f.option(\.client)
        fingers = f("fingers", \.fingers, .within(1...2), "In use: one drags, two pinch.")
    }
}
