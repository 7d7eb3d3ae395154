import Testing

@testable import Cameras
@testable import Media

@Suite("A photo has the size and aspect that was requested")
struct SizeTests {
    private func size(
        _ box: PhotoSize?, of region: Region = .whole, _ width: Int = 320, _ height: Int = 180
    ) throws -> [Int] {
        let photo = try PhotoMaker().photo(
            of: .planar(map(width, height)), showing: region, fitting: box)
        let header = try JPEGHeader(of: photo.bytes)
        #expect(header.width == photo.width && header.height == photo.height)
        return [photo.width, photo.height]
    }

    private let quarter = Region(x: 0.3, y: 0.4, width: 0.25, height: 0.25)
    private let upright = Region(x: 0.25, y: 0, width: 0.25, height: 1)

    @Test func withoutBox() throws {
        #expect(try size(nil) == [320, 180])
        #expect(try size(PhotoSize()) == [320, 180])
        #expect(try size(nil, of: quarter) == [320, 180])
        // 80 × 180 of the picture, as large as fits into 320 × 180.
        #expect(try size(nil, of: upright) == [80, 180])
    }

    @Test func withOneSide() throws {
        #expect(try size(PhotoSize(width: 160)) == [160, 90])
        #expect(try size(PhotoSize(height: 90)) == [160, 90])
        #expect(try size(PhotoSize(width: 640), of: quarter) == [640, 360])
        #expect(try size(PhotoSize(width: 40), of: upright) == [40, 90])
    }

    @Test func withBothSides() throws {
        #expect(try size(PhotoSize(width: 160, height: 160)) == [160, 90])
        #expect(try size(PhotoSize(width: 160, height: 45)) == [80, 45])
        #expect(try size(PhotoSize(width: 1, height: 1)) == [1, 1])
        #expect(try size(PhotoSize(width: 101, height: 7)) == [12, 7])
    }

    @Test func impossible() throws {
        for box in [
            PhotoSize(width: 0), PhotoSize(height: -1), PhotoSize(width: 20_000), PhotoSize(width: .max),
        ] {
            #expect(throws: ImagingError.self) { try size(box) }
        }
    }

    @Test("very small photos of a plain picture keep its brightness", arguments: [1, 2, 5, 19, 64])
    func brightness(side: Int) throws {
        let plain = PlanarPicture(plain: [200, 90, 170], width: 1200, height: 1200)
        let photo = try PhotoMaker().photo(of: .planar(plain), fitting: PhotoSize(width: side), quality: 98)
        for (plane, value) in zip(try samples(of: photo.bytes), [200, 90, 170]) {
            #expect(plane.allSatisfy { abs(Int($0) - value) <= 3 }, "\(plane[0]), not \(value)")
        }
    }

    @Test(
        "4:2:0 where that has all of the colour, and only there",
        arguments: [
            (Sampling.yuv422, 0.5, Sampling.yuv420), (.yuv422, 0.51, .yuv422), (.yuv444, 0.5, .yuv420),
            (.yuv444, 0.6, .yuv444), (.yuv422, 1, .yuv422), (.yuv440, 0.5, .yuv420), (.gray, 0.25, .gray),
            (.yuv411, 0.5, .yuv420),
        ])
    func coarse(sampling: Sampling, side: Double, expected: Sampling) throws {
        let maker = try PhotoMaker()
        let picture = Picture.jpeg(try jpegMap(320, 240, sampling))
        let region = Region(x: 0.2, y: 0.3, width: side, height: side)
        let shown = side == 1 ? Region.whole : region
        let photo = try maker.photo(of: picture, showing: shown, quality: 80)
        #expect(try JPEGHeader(of: photo.bytes).sampling == expected)
        let asked = try maker.photo(of: picture, showing: shown, sampling: .yuv444, quality: 80)
        #expect(try JPEGHeader(of: asked.bytes).sampling == .yuv444)
    }

    private static let oddSizes = [[1, 1], [1, 7], [7, 1], [3, 5], [17, 9], [33, 31], [255, 129]]

    @Test("odd sizes", arguments: Sampling.allCases, oddSizes)
    func odd(sampling: Sampling, source: [Int]) throws {
        let maker = try PhotoMaker()
        let bytes = try jpegMap(source[0], source[1], sampling)
        let regions = [
            Region.whole, quarter, Region(x: 0.99, y: 0.99, width: 0.01, height: 0.01),
            Region(x: 0.1, y: 0.2, width: 0.77, height: 0.71),
        ]
        for region in regions {
            for box in [nil, PhotoSize(width: 1), PhotoSize(width: 5, height: 5), PhotoSize(height: 67)] {
                let photo = try maker.photo(of: .jpeg(bytes), showing: region, fitting: box, quality: 80)
                let header = try JPEGHeader(of: photo.bytes)
                #expect(header.width == photo.width && header.height == photo.height)
                #expect(header.sampling == sampling || header.sampling == .yuv420)
                _ = try samples(of: photo.bytes)
            }
        }
    }

    @Test("odd planar sizes", arguments: [Sampling.yuv420, .yuv422, .yuv444], oddSizes)
    func oddPlanar(sampling: Sampling, source: [Int]) throws {
        let maker = try PhotoMaker()
        for region in [Region.whole, quarter, Region(x: 0.5, y: 0.5, width: 0.5, height: 0.5)] {
            for box in [nil, PhotoSize(width: 3), PhotoSize(width: 99)] {
                let photo = try maker.photo(
                    of: .planar(map(source[0], source[1], sampling)), showing: region, fitting: box)
                #expect(photo.quality == PhotoMaker.defaultQuality)
                _ = try samples(of: photo.bytes)
            }
        }
    }
}
