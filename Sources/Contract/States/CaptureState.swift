/// The state of `capture`.
package struct CaptureState: Sendable, Equatable, Codable {
    /// Photos that were requested and aren't made yet.
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

    /// `last` is encoded as null if there is no photo yet.
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
