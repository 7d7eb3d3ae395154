/// The state of `desired`: which version is being applied, or was applied last, and how that went; `null`
/// when there was none. The camera and each of its groups have their own count of versions.
package struct DesiredState: Sendable, Equatable, Codable {
    package enum Outcome: String, Sendable, Codable {
        /// Under way.
        case applying
        case applied
        /// Another client moved the zoom before it reached the target.
        case superseded
        case failed
    }

    /// The newest version of one count.
    package struct Known: Sendable, Equatable, Codable {
        /// The group whose count the version belongs to; nil: the camera's own.
        package var group: String?
        package var version: Int
        package var outcome: Outcome
        package var error: CommandError?

        package init(group: String?, version: Int, outcome: Outcome, error: CommandError? = nil) {
            (self.group, self.version, self.outcome, self.error) = (group, version, outcome, error)
        }
    }

    /// The group whose count the version belongs to; nil: the camera's own.
    var group: String?
    var version: Int
    var outcome: Outcome
    package var error: CommandError?
    /// The newest versions of the other counts, by their groups, the camera's own first; nil: there are none.
    var others: [Known]?

    package init(_ newest: Known, others: [Known] = []) {
        (group, version, outcome, error) = (newest.group, newest.version, newest.outcome, newest.error)
        self.others = others.isEmpty ? nil : others
    }

    /// The newest version of a count.
    ///
    /// - Parameter group: nil: the camera's own count.
    package func known(of group: String?) -> Known? {
        let newest = Known(group: self.group, version: version, outcome: outcome, error: error)
        return ([newest] + (others ?? [])).first { $0.group == group }
    }
}
