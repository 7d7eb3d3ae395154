/// The part of a sequence's parameters of H.264 (section 7.3.2.1.1 of the standard) that is needed to check
/// a stream without decoding it.
package struct H264SequenceParameters: Sendable, Equatable {
    /// The parameters' number, 0…31.
    let id: Int
    /// Pixels in a row, after cropping.
    package let width: Int
    /// Rows.
    package let height: Int
    /// The bits of a slice's `frame_num`.
    let frameNumberBits: Int
    /// Whether the encoder may leave out numbers of frames on purpose.
    let allowsGaps: Bool
    /// Whether each slice has the planes of one colour only.
    let separatesPlanes: Bool

    private static let profilesWithChroma: Set = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    /// - Parameter unit: a whole unit, from its header on.
    /// - Returns: nil if these are no sequence parameters, or damaged ones.
    package init?(_ unit: UnsafeBufferPointer<UInt8>) {
        guard let header = unit.first, H264Units.kind(header) == .sequenceParameters else { return nil }
        var bits = H264Bits(unit)
        let profile = bits.bits(8)
        _ = bits.bits(16)
        id = bits.number()
        var chroma = 1
        var separatesPlanes = false
        if Self.profilesWithChroma.contains(profile) {
            chroma = bits.number()
            if chroma == 3 { separatesPlanes = bits.bit() }
            _ = (bits.number(), bits.number(), bits.bit())
            if bits.bit() { Self.skipScalingMatrix(&bits, lists: chroma == 3 ? 12 : 8) }
        }
        self.separatesPlanes = separatesPlanes
        frameNumberBits = bits.number() + 4
        Self.skipPictureOrder(&bits)
        _ = bits.number()
        allowsGaps = bits.bit()
        let (columns, rowsOfMap) = (bits.number() + 1, bits.number() + 1)
        let isProgressive = bits.bit()
        if !isProgressive { _ = bits.bit() }
        _ = bits.bit()
        var crop = (left: 0, right: 0, top: 0, bottom: 0)
        if bits.bit() { crop = (bits.number(), bits.number(), bits.number(), bits.number()) }
        guard !bits.isOverrun, id < 32, chroma < 4, frameNumberBits <= 16, columns <= 1024, rowsOfMap <= 1024
        else { return nil }
        let fields = isProgressive ? 1 : 2
        let unitX = chroma == 1 || chroma == 2 ? 2 : 1
        let unitY = (chroma == 1 ? 2 : 1) * fields
        width = columns * 16 - unitX * (crop.left + crop.right)
        height = rowsOfMap * 16 * fields - unitY * (crop.top + crop.bottom)
        guard width > 0, height > 0 else { return nil }
    }

    private static func skipPictureOrder(_ bits: inout H264Bits) {
        switch bits.number() {
        case 0: _ = bits.number()
        case 1:
            _ = bits.bit()
            _ = (bits.signedNumber(), bits.signedNumber())
            for _ in 0..<min(255, bits.number()) where !bits.isOverrun { _ = bits.signedNumber() }
        default: break
        }
    }

    private static func skipScalingMatrix(_ bits: inout H264Bits, lists: Int) {
        for list in 0..<lists where bits.bit() {
            var (last, next) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) where !bits.isOverrun {
                if next != 0 { next = (last + bits.signedNumber() + 256) % 256 }
                if next != 0 { last = next }
            }
        }
    }
}
