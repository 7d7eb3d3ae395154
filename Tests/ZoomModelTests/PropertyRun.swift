import Glibc
import Testing
import ZoomModel

/// A run that violated a guarantee, shrunk.
struct PropertyFailure: CustomStringConvertible {
    let seed: UInt64
    let lens: PropertyLens
    let violation: Violation
    let events: [PropertyEvent]

    var description: String {
        """
        \(violation)
        V4L2MQTT_SEED=\(seed) repeats it, with the lens "\(lens)". Of its events these are enough:
        \(events.map(\.description).joined(separator: "\n"))
        """
    }
}

enum PropertyRun {
    /// The seeds of a test run: the one in `V4L2MQTT_SEED`, or several, and more with `Tests/run --deep`.
    static let seeds: [UInt64] = {
        if let text = getenv("V4L2MQTT_SEED"), let seed = UInt64(String(cString: text)) { return [seed] }
        return Array(getenv("TESTS_DEEP") == nil ? 1...15 : 1...60)
    }()

    /// Events per run.
    static let length = 4000

    /// Runs the events of a seed. Returns nil if all guarantees held.
    static func failure(
        seed: UInt64, lens: PropertyLens, fault: PropertyFault? = nil, isShrunk: Bool = true
    ) -> PropertyFailure? {
        var traffic = PropertyTraffic(seed: seed, opticalMax: lens.opticalMax)
        let all = traffic.events(length)
        guard let found = attempt(all, lens, fault) else { return nil }
        let (violation, events) = isShrunk ? shrink(found, lens, fault) : found
        return PropertyFailure(seed: seed, lens: lens, violation: violation, events: events)
    }

    private typealias Found = (violation: Violation, events: [PropertyEvent])

    private static func attempt(_ events: [PropertyEvent], _ lens: PropertyLens, _ fault: PropertyFault?)
        -> Found?
    {
        var checker = PropertyChecker(lens, fault: fault)
        guard let count = checker.run(events), let violation = checker.violation else { return nil }
        return (violation, Array(events.prefix(count)))
    }

    /// Removes smaller and smaller parts as long as the same guarantee is violated.
    private static func shrink(_ found: Found, _ lens: PropertyLens, _ fault: PropertyFault?) -> Found {
        var best = found
        var size = max(1, best.events.count / 2)
        var attempts = 600
        while attempts > 0 {
            var start = 0
            var isShorter = false
            while start < best.events.count && attempts > 0 {
                attempts -= 1
                var events = best.events
                events.removeSubrange(start..<min(start + size, events.count))
                if let shorter = attempt(events, lens, fault),
                    shorter.violation.guarantee == found.violation.guarantee
                {
                    best = shorter
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1 && !isShorter { break }
            if !isShorter { size = max(1, size / 2) }
        }
        return best
    }
}
