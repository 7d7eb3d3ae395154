import Testing

@testable import Cameras
@testable import Media

@Suite("A damaged JPEG is an error in the library's words, and the maker goes on")
struct DamageTests {
    private let maker: PhotoMaker
    private let source: [UInt8]
    private let middle = Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5)

    init() throws {
        maker = try PhotoMaker()
        source = try jpegMap(320, 240)
    }

    private func isDamaged(_ bytes: [UInt8], showing region: Region) -> Bool {
        do {
            _ = try maker.photo(of: .jpeg(bytes), showing: region)
            return false
        } catch {
            guard case .damaged(let words) = error else { return false }
            return !words.isEmpty
        }
    }

    @Test func noJPEG() throws {
        for bytes in [
            [], [0xFF], [0xFF, 0xD8], Array("no picture".utf8), [UInt8](repeating: 0xFF, count: 5000),
        ] {
            #expect(isDamaged(bytes, showing: .whole))
            #expect(isDamaged(bytes, showing: middle))
            #expect(throws: ImagingError.self) { try JPEGHeader(of: bytes) }
        }
        #expect(throws: ImagingError.damaged("Not a JPEG file: starts with 0x6e 0x6f")) {
            try maker.photo(of: .jpeg(Array("no picture".utf8)))
        }
        #expect(try maker.photo(of: .jpeg(source)).bytes == source)
    }

    @Test("cut short anywhere, whether it would have to be decoded or not")
    func truncated() throws {
        for count in stride(from: 0, to: source.count - 1, by: 97) {
            let cut = Array(source[..<count])
            #expect(isDamaged(cut, showing: .whole), "passed through at \(count) of \(source.count)")
            #expect(isDamaged(cut, showing: middle), "decoded at \(count) of \(source.count)")
        }
        #expect(try maker.photo(of: .jpeg(source), showing: middle).width == 320)
    }

    @Test("any flipped byte gives a photo or an error, never a crash")
    func flipped() throws {
        let small = try jpegMap(35, 19, .yuv420)
        var state: UInt64 = 1
        for index in small.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var bytes = small
            bytes[index] ^= UInt8(truncatingIfNeeded: state >> 33) | 1
            for box in [nil, PhotoSize(width: 4)] {
                _ = try? maker.photo(of: .jpeg(bytes), showing: middle, fitting: box)
            }
        }
        #expect(try maker.photo(of: .jpeg(small)).bytes == small)
    }

    @Test func tooLarge() throws {
        var bytes = source
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
        // Height and width are the 16-bit numbers 5 and 7 bytes into the frame header.
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x40, 0x01, 0x80, 0x00])
        #expect(throws: ImagingError.tooLarge(width: 32_768, height: 16_385)) {
            try maker.photo(of: .jpeg(bytes))
        }
        #expect(throws: ImagingError.tooLarge(width: 32_768, height: 16_385)) { try JPEGHeader(of: bytes) }
        let long = PlanarPicture(plain: [0, 0, 0], sampling: .yuv444, width: 16_385, height: 1)
        #expect(throws: ImagingError.tooLarge(width: 16_385, height: 1)) {
            try maker.photo(of: .planar(long))
        }
    }

    @Test func noSamples() throws {
        let none = PlanarPicture(sampling: .yuv444, width: 0, height: 0, samples: [])
        #expect(throws: ImagingError.self) { try maker.photo(of: .planar(none)) }
    }
}
