/// The bytes that a movie needs beyond the present size of its file.
struct SpaceEstimate {
    /// Bytes that are reserved for the head and the end of the file.
    static let fixed = 128 << 10
    /// Upper limit of the bytes that an index has for a packet; the tables of MP4 have 36.
    private static let bytesPerPacket = 48
    private static let indexHead = 16 << 10

    private var packets = 0
    /// The size of the largest packet.
    private(set) var largest = 0
    /// Bytes that the muxer holds and has not yet written.
    private(set) var held = 0

    /// Notes a packet that is about to be given to the muxer.
    mutating func add(bytes: Int) {
        held += bytes
        packets += 1
        largest = max(largest, bytes)
    }

    /// Sets the bytes that the muxer holds, after it has written everything before the last packet.
    mutating func setHeld(bytes: Int) { held = bytes }

    /// Bytes to reserve from the end of the file: what is held, and the end with its list of packets.
    var needed: Int { held + Self.fixed + packets * Self.bytesPerPacket }

    /// Upper limit for the index of an MP4 without fragments, in bytes.
    var index: Int { Self.indexHead + packets * Self.bytesPerPacket }
}
