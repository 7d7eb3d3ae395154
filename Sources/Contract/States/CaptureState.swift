package import Settings

/// The state of `capture`.
package struct CaptureState: Sendable, Equatable, Encodable {
    /// Photos that were requested and aren't made yet.
    var pending: Int
    /// Photos made in this camera's life.
    var counter: Int
    var last: PhotoFields?
    /// The buttons that are held down now.
    var pressed: [ButtonRole]

    package init(pending: Int, counter: Int, last: PhotoFields?, pressed: [ButtonRole]) {
        (self.pending, self.counter, self.last, self.pressed) = (pending, counter, last, pressed)
    }

    private enum CodingKeys: String, CodingKey { case pending, counter, last, pressed }

    /// `last` is encoded as null if there is no photo yet.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pending, forKey: .pending)
        try container.encode(counter, forKey: .counter)
        try container.encode(last, forKey: .last)
        try container.encode(pressed, forKey: .pressed)
    }
}
