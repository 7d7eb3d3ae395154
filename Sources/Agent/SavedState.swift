import Core

/// The state that outlives the agent.
struct SavedState: Sendable, Equatable, Codable {
    /// Counts the starts.
    var boot = 0
    var cameras: [String: SavedCamera] = [:]
    /// The start at which each camera was served last. Files of earlier versions lack it.
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

extension SavedState {
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        boot = try fields.count(.boot)
        cameras = try fields.decode([String: SavedCamera].self, forKey: .cameras)
        // Files of earlier versions lack these.
        discovered = try fields.decodeIfPresent([String: [String]].self, forKey: .discovered) ?? [:]
        served = try fields.decodeIfPresent([String: [String]].self, forKey: .served) ?? [:]
        lastBoots = try fields.decodeIfPresent([String: Int].self, forKey: .lastBoots) ?? [:]
        forgottenRevision =
            fields.contains(.forgottenRevision) ? try fields.count(.forgottenRevision) : 0
        lacksRevisions = try fields.decodeIfPresent(Bool.self, forKey: .lacksRevisions) ?? false
        instance = try fields.decodeIfPresent(String.self, forKey: .instance) ?? ""
    }

    /// How many cameras are kept that are not served at the moment.
    static let maxUnserved = 64

    /// Another text each time.
    static func newIdentity() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// Notes the cameras that this start serves, and forgets those that were not served for longest. Where
    /// every camera that is plugged in is served, each one would stay in the file for ever, and a device can
    /// claim to be another one each time.
    mutating func serve(_ ids: [String]) {
        for id in ids {
            lastBoots[id] = boot
            if cameras[id] != nil { continue }
            var camera = SavedCamera()
            // It may be one that was forgotten: controllers would take lower numbers for old states.
            camera.revReserve = forgottenRevision
            cameras[id] = camera
        }
        let served = Set(ids)
        let unserved = cameras.keys.filter { !served.contains($0) }
            .sorted { (lastBoots[$0] ?? 0, $0) > (lastBoots[$1] ?? 0, $1) }
        for id in unserved.dropFirst(Self.maxUnserved) {
            forgottenRevision = max(forgottenRevision, cameras[id]?.revReserve ?? 0)
            cameras[id] = nil
        }
        lastBoots = lastBoots.filter { cameras[$0.key] != nil }
    }
}

/// What the agent published at the broker, besides the states of its cameras.
struct SavedTopics: Sendable, Equatable {
    /// See ``SavedState/discovered``.
    var discovered: [String: [String]]
    /// See ``SavedState/served``.
    var served: [String: [String]]
}
