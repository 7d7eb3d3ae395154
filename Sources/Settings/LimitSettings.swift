/// How much the clients may send, each by itself and all together.
package struct LimitSettings: Sendable, Equatable {
    /// Commands per second that each client may send, 10 to 1,000,000.
    package var commandRate = 1_000
    /// Photos per minute that each client may take, 1 to 1,000,000.
    package var photoRate = 120
    /// Commands per second of all clients together, 10 to 10,000,000.
    package var totalCommandRate = Self.totalCommandRate(for: 1_000)

    /// Photos per minute of all clients together: four clients may take as many as each may.
    package var totalPhotoRate: Int { 4 * photoRate }

    /// The default of ``totalCommandRate``: four clients may send as much as each may.
    package static func totalCommandRate(for commandRate: Int) -> Int { max(4_000, 4 * commandRate) }
}
