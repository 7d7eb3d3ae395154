package import ZoomModel

/// The state of `controls`.
package struct ControlsState: Sendable, Equatable, Codable {
    package var values: [String: ControlValue]
    package var rev: Int
    package var boot: Int
    package var origin: Origin
    package var ts: String

    package init(
        values: [String: ControlValue], rev: Int, boot: Int, origin: Origin, ts: String
    ) {
        (self.values, self.rev, self.boot, self.origin, self.ts) = (values, rev, boot, origin, ts)
    }
}
