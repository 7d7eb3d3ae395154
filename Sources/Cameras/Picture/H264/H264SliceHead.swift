/// The beginning of a slice of H.264 (section 7.3.3 of the standard).
struct H264SliceHead: Sendable {
    /// The bits after the number of the picture's parameters.
    private let rest: H264Bits

    /// - Parameter unit: a slice from its header on.
    init(_ unit: UnsafeBufferPointer<UInt8>) {
        var bits = H264Bits(unit, longest: 32)
        _ = (bits.number(), bits.number(), bits.number())
        rest = bits
    }

    /// The number of the frame among those that others refer to (`frame_num`); nil: the slice is damaged.
    func frameNumber(_ parameters: H264SequenceParameters) -> Int? {
        var bits = rest
        if parameters.separatesPlanes { _ = bits.bits(2) }
        let number = bits.bits(parameters.frameNumberBits)
        return bits.isOverrun ? nil : number
    }
}
