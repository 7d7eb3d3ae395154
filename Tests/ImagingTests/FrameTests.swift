import Testing

@testable import Cameras
@testable import Media

@Suite("A frame has the exact size and the sampling that were requested")
struct FrameTests {
    private let maker: FrameMaker
    private let part = Region(x: 0.25, y: 0.5, width: 0.5, height: 0.25)

    init() throws {
        maker = try FrameMaker()
    }

    @Test(arguments: Sampling.allCases, [nil, Sampling.yuv420, .yuv422, .gray])
    func sizes(source: Sampling, asked: Sampling?) throws {
        let picture = Picture.jpeg(try jpegMap(320, 240, source))
        for (width, height) in [(320, 240), (640, 360), (64, 64), (38, 22)] {
            let sampling = asked ?? source
            let samples = try maker.withPlanes(
                of: picture, showing: part, width: width, height: height, sampling: asked
            ) { planes in
                #expect(planes.sampling == sampling && planes.width == width && planes.height == height)
                for (index, plane) in planes.planes.enumerated() {
                    let size = sampling.size(ofPlane: index, width: width, height: height)
                    #expect((plane.width, plane.height) == size)
                }
                return planes.samples
            }
            #expect(samples.count == sampling.planes)
            if source == .gray { #expect(samples.dropFirst().allSatisfy { $0.allSatisfy { $0 == 128 } }) }
        }
    }

    @Test("a planar picture in the right form is lent as it is")
    func planar() throws {
        let source = map(64, 32)
        let samples = try maker.withPlanes(of: .planar(source), width: 64, height: 32) { planes in
            #expect(source.samples.withUnsafeBufferPointer { $0.baseAddress } == planes.luma.base)
            return planes.samples
        }
        #expect(samples == source.planes)
    }

    @Test("4:2:2 to 4:2:0 takes the mean of two rows of chroma")
    func averaged() throws {
        let luma = map(64, 32).planes[0]
        let rows = (0..<32 * 32).map { $0 / 32 % 2 == 0 ? 40 : 80 as UInt8 }
        let source = PlanarPicture(sampling: .yuv422, width: 64, height: 32, samples: luma + rows + rows)
        let samples = try maker.withPlanes(
            of: .planar(source), width: 64, height: 32, sampling: .yuv420, \.samples)
        #expect(samples[0] == luma)
        // The first and the last rows have no others above or below them.
        let inner = samples.dropFirst().flatMap { $0[4 * 32..<12 * 32] }
        #expect(inner.allSatisfy { abs(Int($0) - 60) <= 1 }, "\(inner)")
    }

    @Test("a frame of a movie is lent as a JPEG of the exact size, or passed through")
    func lent() throws {
        let photos = try PhotoMaker()
        let source = try jpegMap(320, 240)
        let picture = Picture.jpeg(source)
        let size = try photos.withJPEG(of: picture, showing: part, width: 320, height: 240) { lent in
            #expect(lent.quality == PhotoMaker.defaultQuality)
            return try? JPEGHeader(of: Array(lent.bytes))
        }
        #expect(size?.width == 320 && size?.height == 240 && size?.sampling == .yuv422)
        #expect(try photos.withJPEG(of: picture, width: 320, height: 240) { Array($0.bytes) } == source)
    }

    @Test("impossible sizes and damaged frames are errors, and the maker goes on")
    func refused() throws {
        let source = try jpegMap(64, 32)
        for (width, height) in [(0, 16), (16, -1), (16, 20_000)] {
            #expect(throws: ImagingError.self) {
                try maker.withPlanes(of: .jpeg(source), width: width, height: height, \.width)
            }
        }
        #expect(throws: ImagingError.self) {
            let cut = Picture.jpeg(Array(source.prefix(source.count / 2)))
            return try maker.withPlanes(of: cut, width: 32, height: 16, \.width)
        }
        #expect(try maker.withPlanes(of: .jpeg(source), width: 32, height: 16, \.width) == 32)
    }

    private static let lumaLevels: Set<UInt8> = [0, 85, 170, 255]

    @Test(arguments: Sampling.allCases, Effect.allCases)
    func effects(sampling: Sampling, effect: Effect) throws {
        let picture = Picture.jpeg(try jpegMap(320, 240, sampling))
        let plain = try maker.withPlanes(of: picture, showing: part, width: 320, height: 120, \.samples)
        let changed = try maker.withPlanes(
            of: picture, showing: part, width: 320, height: 120, effect: effect, \.samples)
        // What has no colour gets some to be tinted with.
        #expect(changed.count == (effect == .sepia ? 3 : plain.count))
        let chroma = changed.dropFirst()
        switch effect {
        case .none: #expect(changed == plain)
        case .mono:
            #expect(changed[0] == plain[0])
            #expect(chroma.allSatisfy { $0.allSatisfy { $0 == 128 } })
        case .sepia:
            #expect(changed[0] == plain[0])
            #expect(zip(chroma, [108, 148]).allSatisfy { plane, value in plane.allSatisfy { $0 == value } })
        case .negative: #expect(changed == plain.map { $0.map { 255 - $0 } })
        case .posterise:
            #expect(Set(changed[0]).isSubset(of: Self.lumaLevels) && Set(changed[0]).count > 1)
            #expect(chroma.allSatisfy { $0.allSatisfy { $0 % 32 == 0 } })
            for (before, after) in zip(plain.dropFirst(), chroma) {
                #expect(zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 31 })
            }
        }
    }

    @Test("a photo with an effect is never passed through")
    func photos() throws {
        let source = try jpegMap(320, 240)
        let photo = try PhotoMaker().photo(of: .jpeg(source), effect: .negative)
        #expect(photo.bytes != source && photo.quality == PhotoMaker.defaultQuality)
    }
}
