/// The state of `desired`: which version is being applied, or was applied last, and how that went; `null`
/// when there was none. The camera and each of its groups have their own count of versions.
package struct DesiredState: Sendable, Equatable {
    package enum Outcome: String, Sendable, FieldWord {
        /// Under way.
        case applying
        case applied
        /// Another client moved the zoom before it reached the target.
        case superseded
        case failed
    }

    /// The newest version of one count.
    package struct Known: Sendable, Equatable {
        package var group: String?
        package var version: Int
        package var outcome: Outcome
        package var error: CommandError?

        package init(group: String?, version: Int, outcome: Outcome, error: CommandError? = nil) {
            (self.group, self.version, self.outcome, self.error) = (group, version, outcome, error)
        }
    }

    private var newest: Known
    /// The camera's own first; nil: there are none.
    var others: [Known]?

    package init(_ newest: Known, others: [Known] = []) {
        (self.newest, self.others) = (newest, others.isEmpty ? nil : others)
    }

    var group: String? { newest.group }
    var version: Int { newest.version }
    var outcome: Outcome { newest.outcome }
    package var error: CommandError? { newest.error }

    /// The newest version of a count.
    ///
    /// - Parameter group: nil: the camera's own count.
    package func known(of group: String?) -> Known? {
        ([newest] + (others ?? [])).first { $0.group == group }
    }
}

extension DesiredState.Known: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        group = f.maybe("group", \.group, .name, "Whose count it is; absent: the camera's.")
        version = f("version", \.version, .from(1), "Of its count.")
        outcome = f("outcome", \.outcome, .any, "`superseded`: another command moved the zoom.")
        error = f.maybe("error", \.error, .any, "Only with `failed`.")
        f.demand("error", when: .equal("outcome", .text("failed")), "required with \"failed\".")
        f.refuse(["error"], when: .unequal("outcome", .text("failed")), "allowed only with \"failed\".")
    }
}

extension DesiredState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        newest = f.group(\.newest)
        others = f.maybe("others", \.others, .some(.any), "Of each other count.")
    }
}
