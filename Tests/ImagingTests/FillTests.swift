import Testing

@testable import Cameras
@testable import Media

@Suite("A JPEG fills a frame of a given size")
struct FillTests {
    private func fill(_ width: Int?, _ height: Int?, from picture: (Int, Int) = (320, 180)) throws -> Photo {
        try PhotoMaker().photo(
            of: jpegMap(picture.0, picture.1), fillingWidth: width, height: height)
    }

    @Test(
        "the frame has exactly the requested size",
        arguments: [(160, 90), (640, 360), (160, 120), (320, 16), (16, 180), (322, 180)])
    func size(width: Int, height: Int) throws {
        let photo = try fill(width, height)
        let header = try JPEGHeader(of: photo.bytes)
        #expect((photo.width, photo.height) == (width, height))
        #expect((header.width, header.height) == (width, height))
    }

    @Test(
        "one side alone keeps the proportions, with an even number of pixels",
        arguments: [
            (160, nil, 160, 90), (nil, 90, 160, 90), (100, nil, 100, 56), (nil, 50, 88, 50),
            (16, nil, 16, 10),
        ] as [(Int?, Int?, Int, Int)])
    func oneSide(width: Int?, height: Int?, _ expectedWidth: Int, _ expectedHeight: Int) throws {
        let photo = try fill(width, height)
        #expect((photo.width, photo.height) == (expectedWidth, expectedHeight))
    }

    @Test("with neither side the picture is as it is")
    func neitherSide() throws {
        let bytes = try jpegMap(33, 17)
        let photo = try PhotoMaker().photo(of: bytes, fillingWidth: nil, height: nil)
        #expect(photo.bytes == bytes && (photo.width, photo.height) == (33, 17))
    }

    @Test("a picture of the size itself is passed through")
    func sameSize() throws {
        let bytes = try jpegMap(320, 180)
        #expect(try PhotoMaker().photo(of: bytes, fillingWidth: 320, height: 180).bytes == bytes)
    }

    @Test(
        "it shows the middle of the picture, undistorted",
        arguments: [
            (160, 90, Region.whole), (180, 180, Region(x: 0.21875, y: 0, width: 0.5625, height: 1)),
            (320, 90, Region(x: 0, y: 0.25, width: 1, height: 0.5)),
        ])
    func part(width: Int, height: Int, expected: Region) throws {
        let shown = try regionShown(by: fill(width, height).bytes)
        for (found, wanted) in [
            (shown.x, expected.x), (shown.y, expected.y), (shown.width, expected.width),
            (shown.height, expected.height),
        ] {
            #expect(abs(found - wanted) < 0.03)
        }
    }

    @Test("a size that can't be made is refused")
    func impossible() throws {
        #expect(throws: ImagingError.self) { try fill(0, 90) }
        #expect(throws: ImagingError.self) { try fill(20_000, 90) }
        // 16,000 × 160,000 pixels.
        #expect(throws: ImagingError.self) { try fill(16_000, nil, from: (10, 100)) }
        #expect(throws: ImagingError.self) {
            try PhotoMaker().photo(of: [0xFF, 0xD8], fillingWidth: 16, height: 16)
        }
    }
}
