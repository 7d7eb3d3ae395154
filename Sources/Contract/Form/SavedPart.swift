/// What a node keeps over restarts: fields of the camera's state file, whose names only this node has.
///
/// Files of earlier versions lack later fields, which need a default. The fields of the first version have
/// none: each file has them, and one without is damaged. So a new field is never a copy of one of these. The
/// form checks what is published or computed with: another program may have written the file.
package protocol SavedPart: Form, Equatable, Sendable {
    init()
}

/// The node keeps nothing.
package struct NothingSaved: SavedPart {
    package init() {}
    package init(_ f: inout some FormVisitor<Self>) {}
}

extension WholeRule {
    /// A counter of the agent's. A number beyond 2^53 was never reached by an agent and could overflow, so
    /// the file counts as damaged.
    package static let counter = WholeRule.within(0...1 << 53)
}

extension String {
    /// Whether it can be the name of a quality or of a preset.
    var isSavedName: Bool { TextRule.id.fits(self) }
}
