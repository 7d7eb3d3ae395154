import Testing

@testable import Cameras
@testable import Media

@Suite("A reduced copy and the picture itself are made of one decoding")
struct ReducedCopyTests {
    private let maker: FrameMaker
    private let part = Region(x: 0.25, y: 0.5, width: 0.5, height: 0.25)

    init() throws { maker = try FrameMaker() }

    private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one.count == other.count ? zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0 : .max
    }

    @Test(arguments: Sampling.allCases, [1.0, 0.5, 0.24])
    func bothAreAsIfTheyWereAlone(sampling: Sampling, zoom: Double) throws {
        let picture = Picture.jpeg(try jpegMap(320, 240, sampling))
        let view = Region(x: 0.3 * (1 - zoom), y: 0.6 * (1 - zoom), width: zoom, height: zoom)
        // The recording shows what is in view, or another part.
        for shown in [view, .whole, part] {
            for width in [320, 160, 100, 64, 16] {
                var copies: [PlanarPicture] = []
                let before = maker.decodings
                let copy = try ReducedCopy(showing: view, width: width) { copies.append($0) }
                let main = try maker.withPlanes(
                    of: picture, showing: shown, width: 320, height: 240, sampling: .yuv420, beside: copy,
                    \.samples)
                #expect(maker.decodings == before + 1 && copies.count == 1)
                let alone = try maker.withPlanes(
                    of: picture, showing: shown, width: 320, height: 240, sampling: .yuv420, \.samples)
                #expect(main == alone, "the copy changes the picture")
                let made = try #require(copies.first)
                #expect(made.sampling == .yuv420 && made.width == width)
                #expect(abs(Double(made.height) - Double(width) * 0.75) <= 0.5)
                let wanted = try maker.withPlanes(
                    of: picture, showing: view, width: made.width, height: made.height, sampling: .yuv420,
                    \.samples)
                for (one, other) in zip(made.planes, wanted) {
                    // Alone it would be decoded smaller; then the filter has less to do.
                    #expect(distance(one, other) <= 10, "\(sampling) \(view) \(width)")
                }
            }
        }
    }

    /// The picture is decoded as small as the larger of both allows.
    @Test func aCopyLargerThanThePictureIsSharp() throws {
        let picture = Picture.jpeg(try jpegMap(320, 240))
        var copies: [PlanarPicture] = []
        let copy = try ReducedCopy(showing: .whole, width: 5_000) { copies.append($0) }
        let small = try maker.withPlanes(of: picture, width: 40, height: 30, beside: copy, \.samples)
        #expect(small[0].count == 40 * 30)
        let made = try #require(copies.first)
        #expect((made.width, made.height) == (320, 240), "never wider than the picture")
        let own = try maker.withPlanes(
            of: picture, width: 320, height: 240, sampling: .yuv420, \.samples)
        #expect(made.planes == own)
    }

    @Test func planesAreNotCopied() throws {
        let copy = try ReducedCopy(showing: .whole, width: 64) { _ in Issue.record("a copy of planes") }
        _ = try maker.withPlanes(of: .planar(map(320, 240)), width: 320, height: 240, beside: copy) {
            $0.width
        }
    }

    @Test func aJPEGThatIsPassedThroughIsNotDecoded() throws {
        let photos = try PhotoMaker()
        let bytes = try jpegMap(320, 240)
        var copies = 0
        let copy = try ReducedCopy(showing: .whole, width: 64) { _ in copies += 1 }
        for quality in [nil, 40] {
            let kept = try photos.withJPEG(
                of: .jpeg(bytes), width: 320, height: 240, quality: quality, beside: copy
            ) { Array($0.bytes) }
            #expect(kept == bytes && copies == 0 && photos.decodings == 0)
        }
        let made = try photos.withJPEG(
            of: .jpeg(bytes), showing: part, width: 320, height: 240, quality: 40, beside: copy
        ) { $0.quality }
        #expect(made == 40 && copies == 1 && photos.decodings == 1)
    }

    @Test func ofADamagedPictureThereIsNone() throws {
        let bytes = try jpegMap(320, 240)
        let copy = try ReducedCopy(showing: .whole, width: 64) { _ in Issue.record("a copy") }
        #expect(throws: ImagingError.self) {
            try maker.withPlanes(
                of: .jpeg(Array(bytes.prefix(bytes.count / 2))), width: 64, height: 48, beside: copy
            ) { $0.width }
        }
        #expect(throws: ImagingError.self) {
            _ = try ReducedCopy(showing: Region(x: 2, y: 0, width: 1, height: 1), width: 64) { _ in }
        }
    }
}
