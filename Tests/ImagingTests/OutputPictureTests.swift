import Testing

@testable import Cameras
@testable import Media
@testable import Settings

@Suite("Pictures for output devices")
struct OutputPictureTests {
    /// A picture in which each sample has the same value, in 4:2:0.
    private func plain(_ luma: UInt8, _ blue: UInt8, _ red: UInt8, width: Int = 64, height: Int = 32)
        -> Picture
    {
        .planar(PlanarPicture(plain: [luma, blue, red], width: width, height: height))
    }

    private func made(
        _ pixels: OutputPixelFormat, _ picture: Picture, width: Int = 16, height: Int = 8, stride: Int = 0,
        size: Int? = nil
    ) throws -> [UInt8] {
        let format = try #require(
            OutputFormat(pixels, width: width, height: height, stride: stride, size: size))
        let maker = try OutputPictureMaker(format)
        try maker.make(of: picture, showing: .whole, effect: .none)
        return Array(maker.picture)
    }

    @Test("white, black and colours have the limited range", arguments: OutputPixelFormat.allCases)
    func range(pixels: OutputPixelFormat) throws {
        for (full, limited) in [(0, 16), (128, 126), (255, 235)] as [(UInt8, UInt8)] {
            let bytes = try made(pixels, plain(full, 0, 255))
            let samples: (luma: Set<UInt8>, blue: Set<UInt8>, red: Set<UInt8>) = split(bytes, pixels)
            #expect(samples.luma == [limited] && samples.blue == [16] && samples.red == [240])
        }
        #expect(split(try made(pixels, plain(0, 128, 128)), pixels).blue == [128])
    }

    /// `CPacking` has the numbers of ``LimitedRange`` in C.
    @Test func eachSampleIsThatOfTheLimitedRange() throws {
        for full in UInt8.min...UInt8.max {
            for pixels in [OutputPixelFormat.yuyv, .yu12] {
                let samples = split(try made(pixels, plain(full, full, full)), pixels)
                #expect(samples.luma == [LimitedRange.luma.sample(full)])
                let chroma = LimitedRange.chroma.sample(full)
                #expect(samples.blue == [chroma] && samples.red == [chroma])
            }
        }
    }

    private func split(
        _ bytes: [UInt8], _ pixels: OutputPixelFormat
    ) -> (luma: Set<UInt8>, blue: Set<UInt8>, red: Set<UInt8>) {
        func every(_ step: Int, from start: Int, to end: Int? = nil) -> Set<UInt8> {
            Set(stride(from: start, to: end ?? bytes.count, by: step).map { bytes[$0] })
        }
        let luma = 16 * 8
        return switch pixels {
        case .yuyv: (every(2, from: 0), every(4, from: 1), every(4, from: 3))
        case .uyvy: (every(2, from: 1), every(4, from: 0), every(4, from: 2))
        case .nv12: (every(1, from: 0, to: luma), every(2, from: luma), every(2, from: luma + 1))
        case .yu12:
            (
                every(1, from: 0, to: luma), every(1, from: luma, to: luma * 5 / 4),
                every(1, from: luma * 5 / 4)
            )
        case .yv12:
            (
                every(1, from: 0, to: luma), every(1, from: luma * 5 / 4),
                every(1, from: luma, to: luma * 5 / 4)
            )
        }
    }

    @Test("the sizes are those of the formats", arguments: OutputPixelFormat.allCases)
    func sizes(pixels: OutputPixelFormat) throws {
        let bytes = try made(pixels, plain(100, 128, 128)).count
        #expect(bytes == (pixels.sampling == .yuv422 ? 2 : 3) * 16 * 8 / (pixels.sampling == .yuv422 ? 1 : 2))
    }

    @Test("rows may be padded, and a driver may reserve more bytes")
    func padded() throws {
        let bytes = try made(.yuyv, plain(255, 128, 128), stride: 48, size: 1_000)
        #expect(bytes.count == 1_000)
        for row in 0..<8 {
            #expect(stride(from: row * 48, to: row * 48 + 32, by: 2).allSatisfy { bytes[$0] == 235 })
            #expect(bytes[(row * 48 + 32)..<(row * 48 + 48)].allSatisfy { $0 == 0 })
        }
    }

    @Test("sizes that a driver may report and that can't be are refused")
    func refused() {
        #expect(OutputFormat(.yuyv, width: 16, height: 8, stride: 31) == nil)
        #expect(OutputFormat(.yuyv, width: 16, height: 8, size: 255) == nil)
        #expect(OutputFormat(.nv12, width: 16, height: 8, stride: 16, size: 191) == nil)
        #expect(OutputFormat(.yuyv, width: 16, height: 8, size: 0xFFFF_FFFF) == nil)
        #expect(OutputFormat(.yuyv, width: 16, height: 8, stride: 0x1000_0000) == nil)
        #expect(OutputFormat(.yuyv, width: 15, height: 8) == nil)
        #expect(OutputFormat(.yuyv, width: 0, height: 0) == nil)
    }

    @Test("another aspect ratio leaves black edges, and nothing is stretched")
    func edges() throws {
        // 64 × 32 in 32 × 32: 16 rows in the middle.
        let bytes = try made(.yuyv, plain(255, 128, 128), width: 32, height: 32)
        for row in 0..<32 {
            let expected: UInt8 = (8..<24).contains(row) ? 235 : 16
            #expect(stride(from: row * 64, to: row * 64 + 64, by: 2).allSatisfy { bytes[$0] == expected })
        }
        let columns = try made(.nv12, plain(255, 128, 128, width: 32, height: 64), width: 64, height: 32)
        for column in 0..<64 {
            #expect(columns[5 * 64 + column] == ((24..<40).contains(column) ? 235 : 16))
        }
    }

    @Test("a damaged frame leaves the picture before, and black is black")
    func damaged() throws {
        let format = try #require(OutputFormat(.yu12, width: 16, height: 8))
        let maker = try OutputPictureMaker(format)
        let black = [UInt8](repeating: 16, count: 128) + [UInt8](repeating: 128, count: 64)
        #expect(Array(maker.picture) == black)
        try maker.make(of: plain(255, 128, 128), showing: .whole, effect: .none)
        let white = Array(maker.picture)
        #expect(throws: ImagingError.self) {
            try maker.make(of: .jpeg([0xFF, 0xD8, 0xFF]), showing: .whole, effect: .none)
        }
        #expect(Array(maker.picture) == white)
        maker.makeBlack()
        #expect(Array(maker.picture) == black)
    }

    @Test("effects are in the picture")
    func effects() throws {
        let format = try #require(OutputFormat(.yu12, width: 16, height: 8))
        let maker = try OutputPictureMaker(format)
        try maker.make(of: plain(255, 0, 255), showing: .whole, effect: .mono)
        #expect(Array(maker.picture).suffix(64).allSatisfy { $0 == 128 })
        try maker.make(of: plain(255, 128, 128), showing: .whole, effect: .negative)
        #expect(maker.picture[0] == 16)
    }
}
