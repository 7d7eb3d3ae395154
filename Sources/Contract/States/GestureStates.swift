package import ZoomModel

/// The state of `pinch` while there is a gesture; otherwise it is `null`.
package struct PinchState: Sendable, Equatable, Codable {
    package var gesture: String
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var proved: Bool?
    /// The factor at scale 1.
    package var base: Double
    package var scale: Double
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(
        gesture: String, client: ClientIdentity?, base: Double, scale: Double, rev: Int, boot: Int, ts: String
    ) {
        (self.gesture, self.client, proved) = (gesture, client?.name, client?.isProved)
        self.base = base.forMessages
        (self.scale, self.rev, self.boot, self.ts) = (scale.forMessages, rev, boot, ts)
    }
}

/// The state of `touch` while there is one; otherwise it is `null`.
package struct TouchState: Sendable, Equatable, Codable {
    package var gesture: String
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var proved: Bool?
    /// The fingers that count: one drags, two pinch.
    package var fingers: Int
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(gesture: String, client: ClientIdentity?, fingers: Int, rev: Int, boot: Int, ts: String) {
        (self.gesture, self.client, proved) = (gesture, client?.name, client?.isProved)
        self.fingers = fingers
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}
