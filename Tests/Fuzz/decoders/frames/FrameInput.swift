@testable import Cameras

/// What a camera says about a frame, and how many bytes it sends: the first bytes of an input. The others are
/// the bytes of the frame, over and over.
struct FrameInput {
    static let length = 12

    let format: V4L2Format
    /// Bytes that the driver says it has filled, of each plane of memory.
    let counts: [Int]
    let content: [UInt8]

    private static let formats =
        ["MJPG", "JPEG"] + PixelLayout.all.filter { $0.value.memoryPlanes == 1 }.keys.sorted()
    /// The formats with several planes of memory.
    private static let divided = PixelLayout.all.filter { $0.value.memoryPlanes > 1 }.keys.sorted()
    private static let rareSides = [
        0, 1, 2, 8, 14, 15, 17, 8_190, 16_382, 16_384, 16_386, 32_768, 46_342, 65_536, 2_147_483_648,
        4_294_967_294,
    ]
    private static let rareStrides = [1, 2, 8_192, 65_536, 2_147_483_647, 2_147_483_648, 4_294_967_295]

    init(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        func byte() -> Int { Int(bytes.popFirst() ?? 0) }
        let kind = byte()
        let code = (0..<4).reduce(UInt32(0)) { code, place in code | UInt32(byte()) << (8 * UInt32(place)) }
        let letters =
            (224..<240).contains(kind)
            ? Self.divided[kind % Self.divided.count] : Self.formats[kind % Self.formats.count]
        func side() -> Int {
            let number = byte()
            return number < 240 ? 16 + 2 * (number % 96) : Self.rareSides[number - 240]
        }
        let (width, height) = (side(), side())
        let pixelFormat = kind < 240 ? V4L2Format.code(letters) : code
        let layout = PixelLayout(of: V4L2Format.letters(pixelFormat))
        let row = layout?.rowLength(width: width) ?? width
        let padding = byte()
        let stride =
            switch padding {
            case 0..<64: 0
            case 64..<240: max(0, min(row + padding - 80, Int(UInt32.max)))
            default: Self.rareStrides[padding % Self.rareStrides.count]
            }
        let format = V4L2Format(
            pixelFormat: pixelFormat, width: width, height: height,
            memory: [V4L2Format.MemoryPlane](
                repeating: .init(stride: stride, size: byte() << 16), count: layout?.memoryPlanes ?? 1),
            isFullRange: byte().isMultiple(of: 2))
        let (difference, more) = (byte(), byte())
        let content = Array(bytes)
        // Near what is needed, exactly that most of the time; or any number.
        let lengths = Self.needed(format) ?? format.memory.map { _ in content.count }
        // The last plane of memory is the one that may be too short.
        counts = lengths.enumerated().map { place, needed in
            let wanted =
                switch more {
                case _ where place < lengths.count - 1: needed
                case 0..<128: needed
                case 128..<192: needed - difference
                case 192..<224: needed + difference
                default: difference * 256
                }
            return format.isJPEG ? content.count : max(0, min(wanted, GuardedFrame.capacity))
        }
        (self.format, self.content) = (format, content)
    }

    /// The bytes of a frame of this format in each plane of memory; nil: no picture can be made of any.
    static func needed(_ format: V4L2Format) -> [Int]? {
        let sides = 16...16_384
        guard sides.contains(format.width), sides.contains(format.height), format.width.isMultiple(of: 2),
            format.height.isMultiple(of: 2)
        else { return nil }
        let layout = PixelLayout(of: V4L2Format.letters(format.pixelFormat))
        let strides = format.memory.map(\.stride)
        return layout?.rows(width: format.width, height: format.height, strides: strides)?.lengths
    }
}
