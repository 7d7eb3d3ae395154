/// How much the clients may send, each by itself and all together.
package struct LimitSettings: Sendable, Equatable {
    /// Commands per second that each client may send, 10 to 1,000,000.
    package var commandRate: Int
    /// Commands per second of all clients together, without samples of gestures, 10 to 10,000,000.
    package var totalCommandRate: Int
    /// Samples of gestures per second of all clients together, 10 to 10,000,000.
    package var totalSampleRate: Int
    /// Bytes of payloads per second of all clients together, at least 65,536.
    package var totalByteRate: Int

    /// - Parameter totalCommandRate: nil: the default for this rate of a client.
    package init(
        commandRate: Int = 1_000, totalCommandRate: Int? = nil, totalSampleRate: Int = 20_000,
        totalByteRate: Int = 4 << 20
    ) {
        self.commandRate = commandRate
        self.totalCommandRate = totalCommandRate ?? Self.totalCommandRate(for: commandRate)
        self.totalSampleRate = totalSampleRate
        self.totalByteRate = totalByteRate
    }

    /// The default of ``totalCommandRate``: four clients may send as much as each may.
    package static func totalCommandRate(for commandRate: Int) -> Int { max(4_000, 4 * commandRate) }
}
