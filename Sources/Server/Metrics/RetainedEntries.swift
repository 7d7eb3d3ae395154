/// What the messages say that a broker retains for one name, such as those of an agent.
protocol RetainedEntry {
    init()

    /// The nodes whose messages the broker retains; at most eight.
    static var states: [String] { get }

    /// Whether there is no state: the entry is not kept.
    var isEmpty: Bool { get }

    /// Takes the message of a node. An empty payload removes a state.
    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant)
}

/// Entries by name, over several connections to a broker.
///
/// A broker sends all retained messages after each connection. What was removed while there was no connection
/// is noticed by what does not come again: entries of earlier connections stay until
/// ``forgetEarlier()``.
struct RetainedEntries<Name: Hashable, Entry: RetainedEntry> {
    private struct Place {
        var entry: Entry
        /// Whether a message came by this connection.
        var isCurrent = false
        /// The states that came by this connection, each a bit.
        var states: UInt8 = 0
    }

    /// The most entries of one connection.
    let limit: Int
    private var places: [Name: Place] = [:]
    /// Entries of this connection.
    private var current = 0

    init(limit: Int) { self.limit = limit }

    /// Notes that a connection has begun.
    mutating func connected() {
        // Without this, connections that end early could add entries without a limit.
        if places.count > limit { forgetEarlier() }
        places = places.mapValues { Place(entry: $0.entry) }
        current = 0
    }

    /// Changes an entry, or adds one, by a message of this connection.
    ///
    /// - Returns: false: there are too many entries.
    mutating func take(
        _ name: Name, _ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant
    ) -> Bool {
        var place = places[name] ?? Place(entry: Entry())
        let isNew = !place.isCurrent
        guard !isNew || current < limit else { return false }
        place.isCurrent = true
        if let number = Entry.states.firstIndex(of: node) { place.states |= 1 << number }
        // Without another reference, the change copies nothing.
        places[name] = nil
        place.entry.take(node, payload, at: time)
        if place.entry.isEmpty {
            if !isNew { current -= 1 }
        } else {
            places[name] = place
            if isNew { current += 1 }
        }
        return true
    }

    subscript(name: Name) -> Entry? { places[name]?.entry }

    /// Changes an entry, if there is one.
    mutating func updateExisting(_ name: Name, _ change: (inout Entry) -> Void) {
        if let index = places.index(forKey: name) { change(&places.values[index].entry) }
    }

    /// Forgets what did not come by this connection, as if it had been removed now.
    mutating func forgetEarlier() {
        places = places.compactMapValues { place in
            guard place.isCurrent else { return nil }
            var place = place
            for (number, node) in Entry.states.enumerated() where place.states & 1 << number == 0 {
                place.entry.take(node, [], at: .now)
            }
            return place.entry.isEmpty ? nil : place
        }
        current = places.count
    }

    /// The entries with their names, in no order.
    var all: some Sequence<(name: Name, entry: Entry)> {
        places.lazy.map { (name: $0.key, entry: $0.value.entry) }
    }
}
