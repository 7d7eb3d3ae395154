import Testing

@testable import Cameras
@testable import Media

@Suite("A photo shows the region that was requested")
struct CropTests {
    /// The outermost sample's centre lies up to half a chroma sample inside, the edge was rounded by up to
    /// another half, and coding adds a little.
    private func expect(_ shown: Region, near region: Region, within tolerance: Double) {
        #expect(abs(shown.x - region.x) < tolerance, "left is \(shown.x), not \(region.x)")
        #expect(abs(shown.y - region.y) < tolerance, "top is \(shown.y), not \(region.y)")
        let (right, bottom) = (shown.x + shown.width, shown.y + shown.height)
        #expect(abs(right - region.x - region.width) < tolerance, "right is \(right)")
        #expect(abs(bottom - region.y - region.height) < tolerance, "bottom is \(bottom)")
    }

    private static let regions = [
        Region.whole,
        Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
        Region(x: 0.875, y: 0.875, width: 0.125, height: 0.125),
        Region(x: 0, y: 0.6, width: 0.3, height: 0.3),
        Region(x: 0.337, y: 0.113, width: 0.217, height: 0.217),
    ]

    @Test(arguments: Sampling.allCases.filter { $0 != .gray }, regions)
    func jpeg(sampling: Sampling, region: Region) throws {
        let source = try jpegMap(320, 240, sampling)
        let photo = try PhotoMaker().photo(of: .jpeg(source), showing: region, quality: 95)
        #expect(photo.width == 320 && photo.height == 240)
        let tolerance = Double(max(sampling.columns, sampling.rows)) / 240 + 0.012
        expect(try regionShown(by: photo.bytes), near: region, within: tolerance)
    }

    @Test(arguments: [Sampling.yuv420, .yuv422, .yuv444], regions)
    func planar(sampling: Sampling, region: Region) throws {
        let photo = try PhotoMaker().photo(
            of: .planar(map(320, 240, sampling)), showing: region, quality: 95)
        #expect(photo.width == 320 && photo.height == 240)
        expect(try regionShown(by: photo.bytes), near: region, within: 0.02)
    }

    @Test(arguments: Sampling.allCases.filter { $0 != .gray }, [2, 3, 4, 8, 11])
    func shrunken(sampling: Sampling, times: Int) throws {
        let source = try jpegMap(1280, 960, sampling)
        let region = Region(x: 0.5, y: 0.25, width: 0.5, height: 0.5)
        let photo = try PhotoMaker().photo(
            of: .jpeg(source), showing: region, fitting: PhotoSize(width: 640 / times), quality: 95)
        #expect(photo.width == 640 / times)
        // Here the outermost sample of the photo covers more than one of the source.
        let tolerance = Double(times * max(sampling.columns, sampling.rows)) / 960 + 0.012
        expect(try regionShown(by: photo.bytes), near: region, within: tolerance)
    }

    @Test("luma stays over its chroma in an odd place")
    func registration() throws {
        // One blue block on gray: after the crop, both kinds of plane must still have its edge in one place.
        let width = 256
        let isBlue = { (x: Int) in x >= 100 }
        let luma = (0..<width * 64).map { isBlue($0 % width) ? UInt8(40) : 200 }
        let blue = (0..<width / 2 * 64).map { isBlue($0 % (width / 2) * 2) ? UInt8(200) : 128 }
        let picture = PlanarPicture(
            sampling: .yuv422, width: width, height: 64, samples: luma + blue + blue.map { _ in 128 })
        // 33…161: an odd edge.
        let region = Region(x: 33.0 / 256, y: 0, width: 0.5, height: 0.5)
        let photo = try PhotoMaker().photo(of: .planar(picture), showing: region, quality: 98)
        let planes = try samples(of: photo.bytes)
        let lumaEdge = try #require(planes[0][0..<256].firstIndex { $0 < 120 })
        let blueEdge = try #require(planes[1][0..<128].firstIndex { $0 > 164 }) * 2
        #expect(abs(lumaEdge - blueEdge) <= 2)
        #expect(abs(lumaEdge - (100 - 33) * 2) <= 4)
    }

    @Test("a region that reaches outside is cut off; one that has nothing of the picture is refused")
    func outside() throws {
        let maker = try PhotoMaker()
        let source = Picture.planar(map(64, 64))
        let photo = try maker.photo(
            of: source, showing: Region(x: -0.5, y: 0, width: 1, height: 1), fitting: PhotoSize(height: 64))
        #expect(photo.width == 32 && photo.height == 64)
        for region in [
            Region(x: 1, y: 0, width: 1, height: 1), Region(x: 0, y: 0, width: 0, height: 1),
            Region(x: 0, y: .nan, width: 1, height: 1), Region(x: 0, y: 0, width: .infinity, height: 1),
            Region(x: 0.5, y: 0.5, width: -0.1, height: 0.1),
        ] {
            #expect(throws: ImagingError.self) { try maker.photo(of: source, showing: region) }
        }
    }
}
