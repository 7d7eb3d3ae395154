package import Settings

/// How long one client of a fleet waits, so that not all clients do the same at once.
///
/// The wait is a function of an identifier, such as that of the client: it is the same each time and in each
/// run, and the waits of many clients are evenly distributed.
package enum Spread {
    /// The wait of one client: below the seconds of the whole fleet.
    ///
    /// - Parameters:
    ///   - seconds: over which the fleet is spread; 0: no client waits.
    ///   - identifier: what tells this client from others. Another one gives a wait that has nothing to do
    ///     with the first.
    package static func wait(seconds: Int, of identifier: String) -> Duration {
        // 53 bits: as many as a double has.
        let fraction = Double(hash(identifier) >> 11) / Double(1 << 53)
        return .milliseconds(Int64(fraction * Double(seconds) * 1000))
    }

    /// The wait of a client as a user configured it.
    package static func wait(_ settings: MQTTSettings) -> Duration {
        wait(seconds: settings.spread, of: settings.clientID)
    }

    /// FNV-1a of 64 bits, and then the finalizer of SplitMix64: identifiers that differ in the last character
    /// only give values that are far apart. Swift's own hashes differ from run to run.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
