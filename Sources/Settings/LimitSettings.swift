/// How much the clients may send, each by itself and all together.
package struct LimitSettings: Sendable, Equatable {
    /// Commands per second that each client may send, 10 to 1,000,000.
    package var commandRate: Int
    /// Photos per minute that each client may take, 1 to 1,000,000.
    package var photoRate: Int
    /// Photos per minute of all clients together, 1 to 10,000,000.
    package var totalPhotoRate: Int
    /// Commands per second of all clients together, without samples of gestures, 10 to 10,000,000.
    package var totalCommandRate: Int
    /// Samples of gestures per second of all clients together, 10 to 10,000,000.
    package var totalSampleRate: Int
    /// Bytes of payloads per second of all clients together, at least 65,536.
    package var totalByteRate: Int

    /// - Parameter totalCommandRate, totalPhotoRate: nil: the default for the rate of a client.
    package init(
        commandRate: Int = 1_000, photoRate: Int = 120, totalCommandRate: Int? = nil,
        totalPhotoRate: Int? = nil, totalSampleRate: Int = 20_000, totalByteRate: Int = 4 << 20
    ) {
        self.commandRate = commandRate
        self.photoRate = photoRate
        self.totalPhotoRate = totalPhotoRate ?? Self.totalPhotoRate(for: photoRate)
        self.totalCommandRate = totalCommandRate ?? Self.totalCommandRate(for: commandRate)
        self.totalSampleRate = totalSampleRate
        self.totalByteRate = totalByteRate
    }

    /// The default of ``totalPhotoRate``.
    package static func totalPhotoRate(for photoRate: Int) -> Int { 4 * photoRate }

    /// The default of ``totalCommandRate``: four clients may send as much as each may.
    package static func totalCommandRate(for commandRate: Int) -> Int { max(4_000, 4 * commandRate) }
}
