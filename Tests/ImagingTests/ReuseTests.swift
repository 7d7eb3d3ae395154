import Imaging
import Picture
import Testing

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
