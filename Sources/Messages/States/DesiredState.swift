/// The state of `desired`: which version was applied last, and how that went; `null` when there was none.
package struct DesiredState: Sendable, Equatable, Codable {
    package enum Outcome: String, Sendable, Codable {
        /// Under way.
        case applying
        case applied
        /// Another client moved the zoom before it reached the target.
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
