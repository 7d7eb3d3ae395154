import Testing

@testable import Cameras
@testable import Media

@Suite("Of a JPEG only what is shown is decoded")
struct PartTests {
    private static let regions = [
        Region(x: 0.3, y: 0, width: 0.4, height: 0.2), Region(x: 0, y: 0.41, width: 0.25, height: 0.25),
        Region(x: 0.123, y: 0.789, width: 0.2, height: 0.2), Region(x: 0.5, y: 0.5, width: 0.5, height: 0.5),
    ]

    /// A JPEG decoded as a whole, as if the camera had given planes.
    private func decoded(_ bytes: [UInt8], _ sampling: Sampling) throws -> PlanarPicture {
        let header = try JPEGHeader(of: bytes)
        return PlanarPicture(
            sampling: sampling, width: header.width, height: header.height,
            samples: try samples(of: bytes).flatMap { $0 })
    }

    @Test(
        "and comes out as it would of the whole",
        arguments: [Sampling.yuv420, .yuv422, .yuv444], regions)
    func same(sampling: Sampling, region: Region) throws {
        let bytes = try jpegMap(333, 251, sampling)
        let whole = try decoded(bytes, sampling)
        let maker = try FrameMaker()
        let pair = try [Picture.jpeg(bytes), .planar(whole)].map { picture in
            try maker.withPlanes(of: picture, showing: region, width: 334, height: 252, \.samples)
        }
        for (part, reference) in zip(pair[0], pair[1]) {
            #expect(zip(part, reference).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
    }

    @Test("damage above it is found, damage below it isn't looked at")
    func damage() throws {
        let maker = try PhotoMaker()
        let source = try jpegMap(320, 240)
        let (upper, lower) = (
            Region(x: 0, y: 0, width: 1, height: 0.25), Region(x: 0, y: 0.75, width: 1, height: 0.25)
        )
        // A marker that has no place among the entropy-coded data.
        var bytes = source
        bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 2, with: [0xFF, 0xC5])
        #expect(try maker.photo(of: .jpeg(bytes), showing: upper).width == 320)
        for region in [lower, Region(x: 0, y: 0.25, width: 0.5, height: 0.5)] {
            #expect(throws: ImagingError.self) { try maker.photo(of: .jpeg(bytes), showing: region) }
        }
        #expect(throws: ImagingError.self) { try maker.photo(of: .jpeg(bytes), quality: 90) }
        #expect(try maker.photo(of: .jpeg(source), showing: lower).width == 320)
    }

    @Test("a smaller photo of a plain JPEG is as plain", arguments: Sampling.allCases, [2, 3, 4, 9, 30])
    func plain(sampling: Sampling, times: Int) throws {
        let bytes = try jpegMap(720, 720, sampling)
        let maker = try FrameMaker()
        // Lanczos' weights have a sum of one, so the mean stays.
        let means = try [1, times].map { times in
            try maker.withPlanes(of: .jpeg(bytes), width: 720 / times, height: 720 / times) { planes in
                planes.planes.map { plane in
                    let sum = (0..<plane.height).reduce(0) { sum, row in
                        (0..<plane.width).reduce(sum) { $0 + Int(plane.base[row * plane.stride + $1]) }
                    }
                    return Double(sum) / Double(plane.width * plane.height)
                }
            }
        }
        for (before, after) in zip(means[0], means[1]) { #expect(abs(before - after) < 2) }
    }
}
