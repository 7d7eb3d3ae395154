import Testing

@testable import Cameras
@testable import Media

@Suite("A camera's JPEG that needn't be changed is passed through untouched")
struct PassThroughTests {
    private let maker: PhotoMaker
    private let source: [UInt8]

    init() throws {
        maker = try PhotoMaker()
        source = try jpegMap(320, 240)
    }

    @Test func untouched() throws {
        let photo = try maker.photo(of: .jpeg(source))
        #expect(photo.bytes == source)
        #expect(photo.width == 320 && photo.height == 240 && photo.quality == nil)
    }

    @Test("also when the requested size is its own")
    func sameSize() throws {
        #expect(try maker.photo(of: .jpeg(source), fitting: PhotoSize(width: 320)).bytes == source)
    }

    @Test("and with what the driver appended to it")
    func padded() throws {
        let padded = source + [UInt8](repeating: 0, count: 1000)
        #expect(try maker.photo(of: .jpeg(padded)).bytes == padded)
    }

    @Test("not when anything was asked of it")
    func changed() throws {
        let again = try maker.photo(of: .jpeg(source), quality: 90)
        #expect(again.bytes != source && again.quality == 90)
        let half = try maker.photo(of: .jpeg(source), fitting: PhotoSize(width: 160))
        #expect(half.width == 160 && half.quality == PhotoMaker.defaultQuality)
        let part = try maker.photo(
            of: .jpeg(source), showing: Region(x: 0, y: 0, width: 0.99, height: 0.99))
        #expect(part.bytes != source && part.quality == PhotoMaker.defaultQuality)
    }

    @Test("a higher quality costs more bytes and is closer to the picture")
    func quality() throws {
        let sizes = try [20, 50, 90, 100].map {
            try maker.photo(of: .jpeg(source), quality: $0).bytes.count
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        for quality in [0, -1, 101] {
            #expect(throws: ImagingError.badRequest("a JPEG's quality is 1…100, not \(quality)")) {
                try maker.photo(of: .jpeg(source), quality: quality)
            }
        }
    }
}
