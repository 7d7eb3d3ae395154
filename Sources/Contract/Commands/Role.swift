/// What a page may do. Each role includes the roles before it.
package enum Role: String, FieldWord, Sendable, Comparable {
    /// Sees pictures and states.
    case look
    /// Moves the camera, takes photos and recordings, and gets media.
    case control
    /// Also deletes media, ends privacy, and sets `desired`.
    case manage

    package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
