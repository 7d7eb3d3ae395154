import Contract
import Core

/// What outlives the agent, besides the states of its cameras.
struct SavedAgent: Sendable, Equatable {
    /// Counts the starts.
    var boot = 0
    /// Counts the ends that weren't clean.
    var crashes = 0
    /// Whether the run has ended, with all of its state on the disk.
    var isClean = true
    /// The start at which each camera was served last. Each has a file.
    var lastBoots: [String: Int] = [:]
    /// No camera that was forgotten has reached a higher revision.
    var forgottenRevision = 0
    /// Discovery documents that may be at the broker: their topics, each with the components that it ever
    /// had.
    var discovered: [String: [String]] = [:]
    /// What this agent published at the broker: the roots of its topics, under each of its names, and the
    /// cameras below them.
    var served: [String: [String]] = [:]
    /// Whether the numbers that the broker has aren't known yet, after an earlier state was lost.
    var lacksRevisions = false
    /// The identity of the device; empty: it has none yet.
    var instance = ""
}

extension SavedAgent: Form {
    init(_ f: inout some FormVisitor<Self>) {
        boot = f("boot", \.boot, .counter, "Counts the starts.")
        // States of versions with a journal lack these, or some of them.
        crashes = f("crashes", \.crashes, .counter, default: 0, "Counts the ends that were not clean.")
        isClean = f("isClean", \.isClean, .any, default: true, "Whether the run has ended.")
        lastBoots = f("lastBoots", \.lastBoots, .each(.any), default: [:], "The last start of each camera.")
        forgottenRevision = f(
            "forgottenRevision", \.forgottenRevision, .counter, default: 0, "Of forgotten cameras.")
        let topics = MapRule.each(ListRule.each(TextRule.any))
        discovered = f("discovered", \.discovered, topics, default: [:], "Discovery documents.")
        served = f("served", \.served, topics, default: [:], "What was published.")
        lacksRevisions = f(
            "lacksRevisions", \.lacksRevisions, .any, default: false, "Whether the broker's are not known.")
        instance = f("instance", \.instance, .any, default: "", "The identity of the device.")
    }
}

extension SavedAgent {
    /// How many cameras are kept that are not served at the moment.
    static let maxUnserved = 64

    /// Another text each time.
    static func newIdentity() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// Notes the cameras that this start serves. Returns those that were not served for longest, which are
    /// to be forgotten: where every camera that is plugged in is served, each one would stay for ever, and
    /// a device can claim to be another one each time.
    mutating func serve(_ ids: [String]) -> [String] {
        for id in ids { lastBoots[id] = boot }
        let served = Set(ids)
        let unserved = lastBoots.filter { !served.contains($0.key) }
        let newestFirst = unserved.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        let forgotten = Array(newestFirst.dropFirst(Self.maxUnserved))
        for id in forgotten { lastBoots[id] = nil }
        return forgotten
    }
}

/// What the agent published at the broker, besides the states of its cameras.
struct SavedTopics: Sendable, Equatable {
    /// See ``SavedAgent/discovered``.
    var discovered: [String: [String]]
    /// See ``SavedAgent/served``.
    var served: [String: [String]]
}
