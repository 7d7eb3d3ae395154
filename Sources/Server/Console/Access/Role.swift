internal import Contract

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

    /// The least role that may send a command; nil: no page may.
    static func needed(for node: String, _ payload: JSONObject) -> Role? {
        // No `default`: a new node has to be decided here.
        switch Node(rawValue: node) {
        case .zoom, .pinch, .touch, .viewport, .capture, .recording, .session, .controls, .presets, .lease:
            return .control
        case .privacy:
            // The contract takes `ON` in upper and lower case. Every other value needs `manage`.
            return payload["state"]?.text?.uppercased() == "ON" ? .control : .manage
        case .media: return payload["delete"] == nil ? .control : .manage
        case .desired: return .manage
        // The console has a lease of its own for all pages.
        case .preview: return nil
        case nil: return nil
        }
    }
}
