/// Which agents are read by their names, and how far that has come. It does not know what they publish.
///
/// A few agents are read at a time: the program subscribes to their topics with the retained messages, until
/// all have come that were promised. What has not come when nothing new comes for
/// ``FleetTimes/quiet`` is read a second time, and its agent is asked for it then.
///
/// If one agent was selected, it keeps its subscriptions: there are no others.
struct FleetReading {
    typealias Instant = ContinuousClock.Instant

    private struct Attempt {
        var number: Int
        var filters: [String]
    }

    /// Agents that are read at a time.
    private static let window = 50
    private static let attempts = 2

    private let selected: String?
    private let times: FleetTimes
    private(set) var isConnected = false
    private var isSubscribed = false
    /// Whether the broker has to answer a subscription.
    private var isUnanswered = false
    private var waiting: [(name: String, attempt: Int)] = []
    /// What was taken from the beginning of `waiting`.
    private var taken = 0
    private var waitingNames: Set<String> = []
    private var present: [String: Attempt] = [:]
    /// Subscriptions that are not needed any more.
    private var ended: [String] = []
    /// Until when agents that were asked have time.
    private var asked: [String: Instant] = [:]
    /// Agents that may have published since ``takeProgressed()``.
    private var progressed: Set<String> = []
    private var lastProgress = Instant.now
    /// When the last agent was found, or the search began; nil: it is longer ago than `quiet`.
    private var lastFound: Instant?
    /// The agents of which not all has come.
    private(set) var unknown: Set<String> = []

    init(_ needs: FleetNeeds, _ times: FleetTimes) { (selected, self.times) = (needs.agent, times) }

    // MARK: Events

    mutating func connected(_ known: [String], at time: Instant) {
        (isConnected, isUnanswered, unknown) = (true, true, [])
        for name in selected.map({ [$0] }) ?? known { read(name, at: time) }
    }

    mutating func subscribed(at time: Instant) {
        guard isConnected else { return }
        if !isSubscribed && selected == nil { lastFound = time }
        (isSubscribed, isUnanswered, lastProgress) = (true, false, time)
    }

    /// - Returns: the subscriptions that the next connection does not need.
    mutating func disconnected() -> [String] {
        defer {
            (isConnected, isSubscribed, isUnanswered, lastFound) = (false, false, false, nil)
            (waiting, taken, waitingNames, present) = ([], 0, [], [:])
            (ended, asked, progressed) = ([], [:], [])
        }
        return ended + present.values.flatMap(\.filters)
    }

    /// Reads an agent, unless that is going on.
    mutating func read(_ name: String, at time: Instant) {
        guard isConnected, present[name] == nil, asked[name] == nil else { return }
        wait(for: name, attempt: 1)
    }

    /// A message is the first one of an agent.
    mutating func found(_ name: String, at time: Instant) {
        guard isConnected, selected == nil else { return }
        lastFound = time
        read(name, at: time)
    }

    /// A message is the first one of its topic on this connection.
    mutating func progressed(_ name: String, at time: Instant) {
        guard present[name] != nil || asked[name] != nil else { return }
        lastProgress = time
        progressed.insert(name)
    }

    mutating func promised(_ name: String, at time: Instant) {
        if asked[name] != nil { asked[name] = time + times.promise }
    }

    /// Waits for an agent that is asked.
    ///
    /// - Returns: false: agents are not asked.
    mutating func ask(_ name: String, at time: Instant) -> Bool {
        guard let period = times.asking else { return false }
        asked[name] = time + period
        return true
    }

    /// All has come of an agent.
    mutating func finished(_ name: String) {
        asked[name] = nil
        if let attempt = present.removeValue(forKey: name), selected == nil { ended += attempt.filters }
    }

    /// Not all has come, and nothing more is expected.
    mutating func gaveUp(_ name: String, isThere: Bool) { if isThere { unknown.insert(name) } }

    mutating func takeProgressed() -> Set<String> {
        if progressed.isEmpty { return [] }
        defer { progressed = [] }
        return progressed
    }

    // MARK: Time

    var deadline: Instant? {
        guard isConnected, !isUnanswered else { return nil }
        let quiet = [present.isEmpty ? nil : lastProgress, lastFound].compactMap { $0 }.map {
            $0 + times.quiet
        }
        return (quiet + asked.values).min()
    }

    var isDone: Bool {
        isSubscribed && !isUnanswered && lastFound == nil && waitingNames.isEmpty && present.isEmpty
            && asked.isEmpty
    }

    /// - Returns: the agents that were read as often as it helps, and those that were asked and have not
    ///   published.
    mutating func tick(at time: Instant) -> (read: [String], asked: [String]) {
        guard isConnected, !isUnanswered else { return ([], []) }
        if let lastFound, lastFound + times.quiet <= time { self.lastFound = nil }
        let overdue = asked.filter { $0.value <= time }.keys.sorted()
        for name in overdue { asked[name] = nil }
        guard !present.isEmpty, lastProgress + times.quiet <= time else { return ([], overdue) }
        let stopped = present.sorted { $0.key < $1.key }
        present = [:]
        for (name, attempt) in stopped {
            let isLast = attempt.number == Self.attempts
            if selected == nil || !isLast { ended += attempt.filters }
            if !isLast { wait(for: name, attempt: attempt.number + 1) }
        }
        return (stopped.filter { $0.value.number == Self.attempts }.map(\.key), overdue)
    }

    // MARK: Subscriptions

    /// Whether to begin with further agents: half of the present ones are read.
    var hasRoom: Bool { isConnected && (isSubscribed || selected != nil) && present.count <= Self.window / 2 }

    /// The next agent that waits; nil: there is none, or no room.
    mutating func next() -> (name: String, attempt: Int)? {
        guard present.count < Self.window, taken < waiting.count else {
            if taken == waiting.count { (waiting, taken) = ([], 0) }
            return nil
        }
        defer { taken += 1 }
        waitingNames.remove(waiting[taken].name)
        return waiting[taken]
    }

    /// An agent is subscribed to.
    mutating func begin(_ name: String, attempt: Int, _ filters: [String], at time: Instant) {
        present[name] = Attempt(number: attempt, filters: filters)
        (isUnanswered, lastProgress) = (true, time)
    }

    /// The subscriptions that are to be ended before others begin, or when none follows.
    mutating func takeEnded(others: Bool) -> [String] {
        guard others || present.isEmpty else { return [] }
        defer { ended = [] }
        return ended
    }

    private mutating func wait(for name: String, attempt: Int) {
        if waitingNames.insert(name).inserted { waiting.append((name, attempt)) }
    }
}
