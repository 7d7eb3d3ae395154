import CAllocations
import Testing

@testable import Cameras
@testable import Media

@Suite("One maker, many photos")
struct ReuseTests {
    @Test("a photo doesn't depend on those before it")
    func independent() throws {
        let maker = try PhotoMaker()
        let pictures: [Picture] = [
            .jpeg(try jpegMap(640, 480)),
            .jpeg(try jpegMap(31, 17, .yuv420)),
            .planar(map(801, 333, .yuv444)),
            .jpeg(try jpegMap(640, 480, .gray)),
            .jpeg(try jpegMap(128, 960, .yuv440)),
            .planar(map(2, 2, .yuv420)),
        ]
        let regions = [Region.whole, Region(x: 0.2, y: 0.3, width: 0.4, height: 0.5)]
        for _ in 0..<2 {
            for picture in pictures {
                for region in regions {
                    for box in [nil, PhotoSize(width: 50), PhotoSize(height: 700)] {
                        let again = try maker.photo(of: picture, showing: region, fitting: box, quality: 85)
                        let fresh = try PhotoMaker().photo(
                            of: picture, showing: region, fitting: box, quality: 85)
                        #expect(again == fresh)
                    }
                }
            }
        }
    }

    /// Counted in this thread, for frames like those before them: the fewest of some lots, because the
    /// runtime now and then allocates something for itself.
    private func allocations(_ frames: () throws -> Void) rethrows -> Int {
        try (0..<20).map { _ in
            let before = allocations_of_this_thread()
            try frames()
            return allocations_of_this_thread() - before
        }.suffix(5).min() ?? 0
    }

    @Test(
        "frames of a stream need nothing allocated, once there were some",
        .enabled(if: allocations_of_this_thread() >= 0),
        arguments: zip(Sampling.allCases, Effect.allCases + [.none]))
    func steady(sampling: Sampling, effect: Effect) throws {
        let photos = try PhotoMaker()
        let frames = try FrameMaker()
        let picture = Picture.jpeg(try jpegMap(320, 240, sampling))
        let planar = Picture.planar(map(320, 240))
        let zoomed = Region(x: 0.31, y: 0.17, width: 0.25, height: 0.25)
        let whole = Region.whole
        // Made here, so that only the makers' allocations are counted.
        let (sources, regions, sizes) = ([picture, planar], [zoomed, whole], [(320, 240), (107, 80)])
        let count = try allocations {
            for source in sources {
                for region in regions {
                    for (width, height) in sizes {
                        _ = try photos.withJPEG(
                            of: source, showing: region, width: width, height: height, effect: effect
                        ) { $0.bytes.count }
                    }
                    _ = try frames.withPlanes(
                        of: source, showing: region, width: 320, height: 240, sampling: .yuv420,
                        effect: effect
                    ) { $0.width }
                }
            }
        }
        #expect(count == 0)
    }

    @Test("also while the zoom moves", .enabled(if: allocations_of_this_thread() >= 0))
    func zooming() throws {
        let frames = try FrameMaker()
        let picture = Picture.jpeg(try jpegMap(640, 480))
        let count = try allocations {
            for step in 0..<100 {
                let side = 1 - Double(step) / 120
                _ = try frames.withPlanes(
                    of: picture, showing: Region(x: 0, y: 0, width: side, height: side), width: 640,
                    height: 480, sampling: .yuv420
                ) { $0.width }
            }
        }
        #expect(count == 0)
    }

    @Test("a photo allocates its bytes", .enabled(if: allocations_of_this_thread() >= 0))
    func photo() throws {
        let maker = try PhotoMaker()
        let picture = Picture.jpeg(try jpegMap(640, 480))
        let region = Region(x: 0.31, y: 0.17, width: 0.25, height: 0.25)
        let count = try allocations { _ = try maker.photo(of: picture, showing: region) }
        #expect(count == 1)
    }

    @Test(
        "errors say what was wrong",
        arguments: [
            (ImagingError.damaged("Not a JPEG file"), "the JPEG cannot be read: Not a JPEG file"),
            (.tooLarge(width: 20_000, height: 1), "20000×1 pixels are too many: a side may have 16384"),
        ])
    func descriptions(error: ImagingError, text: String) {
        #expect(error.description == text)
    }
}
