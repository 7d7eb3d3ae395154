import Glibc

/// The seeds of a run, and a failure with the few events that are enough for it.
enum CoreRun {
    /// `Tests/run --deep` takes more seeds; `TESTS_SEEDS=from..to` names others.
    static let seeds: ClosedRange<UInt64> = {
        guard let text = getenv("TESTS_SEEDS").map({ String(cString: $0) }) else {
            return getenv("TESTS_DEEP") == nil ? 1...1_000 : 1...10_000
        }
        let ends = text.split(separator: ".").compactMap { UInt64($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { fatalError("TESTS_SEEDS: expected from..to") }
        return ends[0]...ends[1]
    }()

    /// Events in a run.
    static let length = 120
    /// The messages of one run in so many are held against the schemas.
    static let writtenSeeds: UInt64 = 50

    /// The first broken invariant of a seed; nil: all hold.
    static func failure(seed: UInt64, plant: PlantedFault? = nil) -> CoreFailure? {
        let configuration = CoreConfiguration(seed: seed)
        var traffic = CoreTraffic(seed: seed)
        let events = traffic.events(length)
        let isWritten = plant == nil && seed.isMultiple(of: writtenSeeds)
        let rig = CoreRig(configuration, plant, isWritten: isWritten)
        guard let breach = rig.run(events) else { return nil }
        let shortest = shrink(events, breach, configuration, plant)
        let last = CoreRig(configuration, plant).run(shortest) ?? breach
        return CoreFailure(seed: seed, configuration: configuration, breach: last, events: shortest)
    }

    /// Delta debugging (Zeller, Hildebrandt 2002): leaves out parts, smaller and smaller, as long as the same
    /// invariant is broken.
    private static func shrink(
        _ events: [CoreEvent], _ breach: CoreBreach, _ configuration: CoreConfiguration,
        _ plant: PlantedFault?
    ) -> [CoreEvent] {
        var best = events
        var size = best.count / 2
        while size > 0 {
            var start = 0
            var isShorter = false
            while start < best.count {
                var candidate = best
                candidate.removeSubrange(start..<min(start + size, best.count))
                if CoreRig(configuration, plant).run(candidate)?.invariant == breach.invariant {
                    best = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if !isShorter || size > 1 { size /= 2 }
        }
        return best
    }
}

/// What is broken, and how.
struct CoreBreach: Sendable, CustomStringConvertible {
    enum Invariant: String, Sendable, CaseIterable {
        /// Each admitted request gets exactly one final answer.
        case answers
        /// Each completion of the device counts once.
        case completions
        /// `rev` grows with the changes that are stamped, and nowhere else.
        case revisions
        /// The zoom that is published was read back.
        case readBack
        /// The mode isn't changed while frames are recorded.
        case mode
        /// No number comes again after a crash or a stop.
        case numbers
        /// `stopped` comes after the last answer, and the last message.
        case stop
        /// The contract of the backend is kept by its caller.
        case contract
        /// While the state of `privacy` is ON, no picture is published.
        case privacy
        /// Timers come to rest.
        case timers
    }

    let invariant: Invariant
    let words: String

    var description: String { "\(invariant.rawValue): \(words)" }
}

struct CoreFailure: Sendable, CustomStringConvertible {
    let seed: UInt64
    let configuration: CoreConfiguration
    let breach: CoreBreach
    let events: [CoreEvent]

    var description: String {
        """
        \(breach)
        TESTS_SEEDS=\(seed)..\(seed) repeats it (\(configuration)). These events are enough:
        \(events.map(\.description).joined(separator: "\n"))
        """
    }
}
