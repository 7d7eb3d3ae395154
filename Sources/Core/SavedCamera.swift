package import Contract

/// The part of a camera's state that outlives the agent.
package struct SavedCamera: Sendable, Form {
    /// What keeps something.
    private static let types: [any SavedPart.Type] =
        Node.allCases.map { $0.contract.savedPart }.filter { $0 != NothingSaved.self } + [SavedOutput.self]

    /// What was given out when this was saved. Of a run that begins, what none of its numbers is below.
    package var numbers = CameraNumbers()
    private var parts: [any SavedPart]

    package init() { parts = Self.types.map { $0.init() } }

    package init(_ f: inout some FormVisitor<Self>) {
        numbers = f("numbers", \.numbers, .any, "What was given out.")
        parts = Self.types.map { $0.part(&f) }
    }

    package subscript<Part: SavedPart>(_ type: Part.Type) -> Part {
        get { parts.lazy.compactMap { $0 as? Part }.first ?? Part() }
        set {
            let place = parts.firstIndex { $0 is Part }
            precondition(place != nil, "\(Part.self) would not be saved: it is in no list")
            parts[place ?? 0] = newValue
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("numbers", numbers, .any)
        for part in parts { part.writeFields(to: &json) }
    }
}

extension SavedCamera: Equatable {
    package static func == (a: Self, b: Self) -> Bool {
        a.numbers == b.numbers && zip(a.parts, b.parts).allSatisfy { $0.isEqual(to: $1) }
    }
}

extension SavedPart {
    fileprivate static func part(_ f: inout some FormVisitor<SavedCamera>) -> any SavedPart {
        f.group { $0[Self.self] }
    }

    fileprivate func isEqual(to other: any SavedPart) -> Bool { self == other as? Self }
}
