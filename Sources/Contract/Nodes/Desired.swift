package import ZoomModel

extension Node {
    package static var desired: Node { Node(Desired.self) }

    /// What fleet managers want.
    package enum Desired: NodeContract {
        package typealias Command = DesiredSet
        package typealias State = DesiredState
        package static var name: String { "desired" }
        package static var isNullable: Bool { true }

        package static func role(for payload: JSONObject) -> Role? { .manage }
    }
}

/// The payload of `desired/set`: the state that a fleet manager requests, applied once for each version. The
/// only command that may be retained.
package struct DesiredSet: CommandForm {
    /// Applied when it is above the last one applied.
    package var version: Int
    /// The group whose count the version belongs to, although it may come on a camera's own topic; nil: the
    /// topic decides.
    package var group: String?
    /// The version begins a new count: it may be any other than the last one.
    package var resets: Bool
    package var zoom: ZoomGoal?
    package var controls: ControlsSet?
    package var session: Session?
    /// What is wanted (`zoom`, `controls` and `session` as they came), as JSON that is the same for equal
    /// values.
    package var contents: [UInt8]

    package var policy: CommandPolicy {
        CommandPolicy(needsDevice: false, movesZoom: zoom != nil, runsOnce: false, savesState: true)
    }

    /// How far a version may be above the last one of a camera: the highest number there is would end the
    /// count.
    package static let maxStep = 1_000

    /// The requested session.
    package struct Session: Sendable, Equatable, Form {
        /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
        package var qualities: [String]
        /// Frames per second, above 0.
        package var rate: Double?

        package init(_ f: inout some FormVisitor<Self>) {
            (qualities, rate) = SessionSet.format(&f, \.qualities, \.rate)
            f.demand(
                someOf: ["quality", "fps"], field: "quality", "send at least one of quality and fps.")
        }
    }

    package init(_ f: inout some FormVisitor<Self>) {
        contents = JSON.canonicalBytes(
            .object([
                "zoom": f.unread("zoom"), "controls": f.unread("controls"), "session": f.unread("session"),
            ]))
        version = f(
            "version", \.version, .from(1),
            "At most 1,000 above the last of its count.",
            missing: "required: a whole number from 1.")
        group = f.maybe(
            "group", \.group, .upTo(64, .name),
            "The version counts as one of this group.")
        resets = f(
            "reset", \.resets, .any, default: false,
            "Begins a new count: any other version than the last.")
        let zoom = f.maybe(
            "zoom", \.zoom, .any,
            "Without `by`.")
        self.zoom = zoom
        controls = f.maybe(
            "controls", \.controls, .any, "Values by the names in `info`.")
        session = f.maybe("session", \.session, .any, "As in `session/set`.")
        let isStep = if case .by? = zoom?.target { true } else { false }
        f.check(!isStep, "zoom.by", "a desired state takes a factor or a position, not a relative step.")
    }
}

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

extension Node.Desired {
    package struct Saved: SavedPart {
        /// The last version of the camera's own desired state that was applied; nil: none, or the file was
        /// written before the node existed.
        package private(set) var own: SavedDesired?
        /// The same of the desired states of its groups, the newest outcome at the end.
        private var ofGroups: [SavedDesired] = []
        /// The outcomes of groups that are older than that of the camera's own desired state.
        private var olderThanOwn = 0
        /// The version of the desired state that is being applied. It is stored before the version is begun,
        /// which shows whether the disk takes its outcome; nothing reads it after a restart.
        package var applyingVersion: Int?

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            own = f.maybe("desired", \.own, .any, "The outcome of the camera's own desired state.")
            applyingVersion = f.maybe(
                "applyingVersion", \.applyingVersion, .any, "The version that is being applied.")
            ofGroups = f(
                "desiredOfGroups", \.ofGroups, .each(.any), default: [],
                "The outcomes of the desired states of groups.")
            olderThanOwn = f(
                "olderThanDesired", \.olderThanOwn, .counter, default: 0,
                "How many of these are older than the camera's own.")
            f.check(
                ofGroups.allSatisfy { $0.group.map { Topics.isName($0) } ?? false }, "desiredOfGroups",
                "expected names of groups.")
        }

        /// The last version of each count, the newest outcome at the end.
        package var outcomes: [SavedDesired] {
            get {
                guard let own else { return ofGroups }
                var all = ofGroups
                all.insert(own, at: min(olderThanOwn, all.count))
                return all
            }
            set {
                own = newValue.first { $0.group == nil }
                ofGroups = newValue.filter { $0.group != nil }
                olderThanOwn = newValue.firstIndex { $0.group == nil } ?? 0
            }
        }
    }
}

/// The outcome of a version of the desired state.
package struct SavedDesired: Sendable, Equatable, Form {
    /// The group whose count the version belongs to; nil: the camera's own.
    package var group: String?
    package var version: Int
    package var outcome: DesiredState.Outcome
    package var error: CommandError?
    /// A digest of what was wanted (``DesiredSet/contents``), which tells whether the version comes again
    /// with other contents; nil: an earlier version of the program wrote it.
    package var contents: String?

    package init(
        group: String?, version: Int, outcome: DesiredState.Outcome, error: CommandError?, contents: String?
    ) {
        (self.group, self.version, self.outcome) = (group, version, outcome)
        (self.error, self.contents) = (error, contents)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        group = f.maybe("group", \.group, .any, "Whose count the version belongs to.")
        version = f("version", \.version, .any, "Of its count.")
        outcome = f("outcome", \.outcome, .any, "How it went.")
        error = f.maybe("error", \.error, .any, "Why it failed.")
        contents = f.maybe("contents", \.contents, .any, "A digest of what was wanted.")
    }
}
