/// Whether an agent or a camera is there.
package struct Availability: Sendable, Equatable, Codable {
    package enum State: String, Sendable, Codable { case online, offline, stopped }

    package var state: State
    /// The agent's count of starts; not with a camera.
    package var boot: Int?
    /// Why a camera is offline.
    package var reason: String?

    package init(_ state: State, boot: Int? = nil, reason: String? = nil) {
        self.state = state
        self.boot = boot
        self.reason = reason
    }
}

/// Who changed a node.
package struct OriginField: Sendable, Equatable, Codable {
    package var client: String?
    package var id: String?
    /// `command`, `gesture`, `restore`, `desired` or `external`.
    package var kind: String

    package init(client: String?, id: String?, kind: String) {
        self.client = client
        self.id = id
        self.kind = kind
    }
}

/// A part of the frame in fractions of it.
package struct ViewportField: Sendable, Equatable, Codable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y) = (x.forMessages, y.forMessages)
        (self.width, self.height) = (width.forMessages, height.forMessages)
    }
}

/// The state of `zoom`: what the zoom is (`factor`) and what was asked (`target`), never mixed.
package struct ZoomState: Sendable, Equatable, Codable {
    package var factor: Double
    package var target: Double
    package var ramping: Bool
    package var min: Double
    package var max: Double
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: ViewportField
    /// Grows with each change of the camera, over restarts too.
    package var rev: Int
    package var boot: Int
    package var origin: OriginField
    package var ts: String

    package init(
        factor: Double, target: Double, ramping: Bool, min: Double, max: Double, position: Double,
        optical: Double, digital: Double, viewport: ViewportField, rev: Int, boot: Int, origin: OriginField,
        ts: String
    ) {
        (self.factor, self.target) = (factor.forMessages, target.forMessages)
        (self.ramping, self.min, self.max) = (ramping, min, max)
        (self.position, self.optical, self.digital) = (
            position.forMessages, optical.forMessages, digital.forMessages
        )
        (self.viewport, self.rev, self.boot, self.origin, self.ts) = (viewport, rev, boot, origin, ts)
    }

    /// The same as a sample for `zoom/live`.
    package var sample: LiveSample {
        LiveSample(
            factor: factor, target: target, position: position, optical: optical, digital: digital,
            viewport: viewport, rev: rev, boot: boot, ts: ts)
    }
}

/// A sample of `zoom/live`, while the zoom is moving; it belongs to the state with the same `rev`.
package struct LiveSample: Sendable, Equatable, Codable {
    package var factor: Double
    package var target: Double
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: ViewportField
    package var rev: Int
    package var boot: Int
    package var ts: String
}

/// The state of `pinch` while there is a gesture; otherwise it is `null`.
package struct PinchState: Sendable, Equatable, Codable {
    package var gesture: String
    package var client: String?
    /// The factor at scale 1.
    package var base: Double
    package var scale: Double
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(
        gesture: String, client: String?, base: Double, scale: Double, rev: Int, boot: Int, ts: String
    ) {
        (self.gesture, self.client, self.base) = (gesture, client, base.forMessages)
        (self.scale, self.rev, self.boot, self.ts) = (scale.forMessages, rev, boot, ts)
    }
}

/// The state of `touch` while there is one; otherwise it is `null`.
package struct TouchState: Sendable, Equatable, Codable {
    package var gesture: String
    package var client: String?
    /// The fingers that count: one drags, two pinch.
    package var fingers: Int
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(gesture: String, client: String?, fingers: Int, rev: Int, boot: Int, ts: String) {
        (self.gesture, self.client, self.fingers) = (gesture, client, fingers)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}

/// The state of `viewport`: the part of the frame that is in view, and its middle, in fractions of the frame.
package struct ViewportState: Sendable, Equatable, Codable {
    package struct Point: Sendable, Equatable, Codable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    package var viewport: ViewportField
    package var center: Point
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(viewport: ViewportField, rev: Int, boot: Int, ts: String) {
        self.viewport = viewport
        center = Point(
            x: (viewport.x + viewport.width / 2).forMessages,
            y: (viewport.y + viewport.height / 2).forMessages)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}

/// The state of `lease` while somebody holds it; otherwise it is `null`.
package struct LeaseState: Sendable, Equatable, Codable {
    package var client: String
    /// When it ends by itself.
    package var until: String
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(client: String, until: String, rev: Int, boot: Int, ts: String) {
        (self.client, self.until, self.rev, self.boot, self.ts) = (client, until, rev, boot, ts)
    }
}

/// The state of `desired`: which version was applied last, and how that went; `null` when there was none.
package struct DesiredState: Sendable, Equatable, Codable {
    package enum Outcome: String, Sendable, Codable {
        /// Under way.
        case applying
        case applied
        /// Somebody else moved the zoom before it was there.
        case superseded
        case failed
    }

    package var version: Int
    package var outcome: Outcome
    package var error: CommandError?
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(version: Int, outcome: Outcome, error: CommandError?, rev: Int, boot: Int, ts: String) {
        (self.version, self.outcome, self.error) = (version, outcome, error)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}

/// The state of `controls`.
package struct ControlsState: Sendable, Equatable, Codable {
    package var values: [String: ControlValue]
    package var rev: Int
    package var boot: Int
    package var origin: OriginField
    package var ts: String

    package init(
        values: [String: ControlValue], rev: Int, boot: Int, origin: OriginField, ts: String
    ) {
        (self.values, self.rev, self.boot, self.origin, self.ts) = (values, rev, boot, origin, ts)
    }
}

/// The state of `capture`.
package struct CaptureState: Sendable, Equatable, Codable {
    /// Photos that were asked for and are still to be made.
    package var pending: Int
    /// Photos made in this camera's life.
    package var counter: Int
    package var last: PhotoFields?
    /// The buttons that are held down now.
    package var pressed: [PressSet.Button]
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(
        pending: Int, counter: Int, last: PhotoFields?, pressed: [PressSet.Button], rev: Int, boot: Int,
        ts: String
    ) {
        (self.pending, self.counter, self.last, self.pressed) = (pending, counter, last, pressed)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }

    private enum CodingKeys: String, CodingKey { case pending, counter, last, pressed, rev, boot, ts }

    /// `last` is said as null when there is no photo yet.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pending, forKey: .pending)
        try container.encode(counter, forKey: .counter)
        try container.encode(last, forKey: .last)
        try container.encode(pressed, forKey: .pressed)
        try container.encode(rev, forKey: .rev)
        try container.encode(boot, forKey: .boot)
        try container.encode(ts, forKey: .ts)
    }
}
