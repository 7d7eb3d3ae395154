/// What the device of a token may do. Each role of a page includes the roles before it.
package enum Role: String, FieldWord, Sendable, Comparable {
    /// Reads the metrics, and opens no page.
    case metrics
    /// Sees pictures and states.
    case look
    /// Moves the camera, takes photos and recordings, and gets media.
    case control
    /// Also deletes media, ends privacy, and sets `desired`.
    case manage

    package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
