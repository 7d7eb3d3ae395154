internal import FoundationEssentials

/// A line that a process with agents writes to the process that started it.
package struct WorkerLine: Sendable, Equatable, Codable {
    /// The agents exist; none is connected.
    package var isReady = false
    /// Agents with a connection whose subscriptions the broker has answered.
    package var subscribed = 0
    /// How often an agent has lost its connection since the start.
    package var lost = 0
    /// Why a connection was lost or an attempt to connect has failed, the last time.
    package var reason: String?
    /// Why the agents can't run.
    package var failure: String?

    package init() {}

    /// The line, with a line feed.
    package var bytes: [UInt8] {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    /// Nil: it is no such line.
    package init?(_ line: some Sequence<UInt8>) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
        self = read
    }
}

/// The orders to a process with agents, a byte each. The end of the connection is ``stop``.
package enum WorkerOrder: UInt8, Sendable {
    case start = 0x67
    case stop = 0x73
}

/// Cuts a stream into lines.
package struct LineReader: Sendable {
    private var rest: [UInt8] = []

    package init() {}

    /// The lines that these bytes complete, without their line feeds.
    package mutating func lines(in bytes: some Sequence<UInt8>) -> [[UInt8]] {
        rest += bytes
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init)
        rest = parts.removeLast()
        return parts
    }
}
