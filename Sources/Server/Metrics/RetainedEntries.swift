/// What the messages say that a broker retains for one name, such as those of an agent.
protocol RetainedEntry {
    init()

    /// Whether there is no state: the entry is not kept.
    var isEmpty: Bool { get }

    /// Forgets the states that came by an earlier connection than this one.
    mutating func forgetStates(before connection: Int)
}

/// A state with the number of the connection by which it came.
struct RetainedState<Value> {
    let value: Value
    let connection: Int

    /// Nil without a value: the state was removed, or cannot be read.
    init?(_ value: Value?, connection: Int) {
        guard let value else { return nil }
        (self.value, self.connection) = (value, connection)
    }
}

extension Optional {
    /// Forgets a state that came by an earlier connection than this one.
    mutating func forget<Value>(before connection: Int) where Wrapped == RetainedState<Value> {
        if let state = self, state.connection < connection { self = nil }
    }
}

/// Entries by name, over several connections to a broker.
///
/// A broker sends all retained messages after each connection. What was removed while there was no connection
/// is noticed by what does not come again: entries of earlier connections stay until
/// ``forgetEarlier()``.
struct RetainedEntries<Name: Hashable, Entry: RetainedEntry> {
    private struct Place {
        var entry: Entry
        /// The latest connection by which a message came.
        var connection: Int
    }

    /// The most entries of one connection.
    let limit: Int
    /// The number of the connection.
    private(set) var connection = 0
    private var places: [Name: Place] = [:]
    /// Entries of this connection.
    private var current = 0

    init(limit: Int) { self.limit = limit }

    /// Notes that a connection has begun.
    mutating func connected() {
        // Without this, connections that end early could add entries without a limit.
        if places.count > limit { forgetEarlier() }
        connection += 1
        current = 0
    }

    /// Changes an entry, or adds one, by a message of this connection.
    ///
    /// - Returns: false: there are too many entries.
    mutating func update(_ name: Name, _ change: (inout Entry) -> Void) -> Bool {
        var place = places[name] ?? Place(entry: Entry(), connection: connection - 1)
        let isNew = place.connection != connection
        guard !isNew || current < limit else { return false }
        place.connection = connection
        // Without another reference, the change copies nothing.
        places[name] = nil
        change(&place.entry)
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

    /// Forgets what did not come by this connection.
    mutating func forgetEarlier() {
        places = places.compactMapValues { place in
            guard place.connection == connection else { return nil }
            var place = place
            place.entry.forgetStates(before: connection)
            return place.entry.isEmpty ? nil : place
        }
        current = places.count
    }

    /// The entries with their names, in no order.
    var all: some Sequence<(name: Name, entry: Entry)> {
        places.lazy.map { (name: $0.key, entry: $0.value.entry) }
    }
}
