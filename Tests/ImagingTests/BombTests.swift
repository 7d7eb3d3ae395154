import Testing

@testable import Cameras
@testable import Media

@Suite("A JPEG that would take a lot of time or memory is refused, and the maker goes on")
struct BombTests {
    private func brightness(_ planes: Planes) -> Int { Int(planes.luma.base[0]) }

    @Test("20 scans are decoded, 21 are not")
    func scans() throws {
        let decoder = try JPEGDecoder()
        for count in [1, 10, 20] {
            #expect(try brightness(decoder.decode(progressive(64, 48, scans: count))) == 128)
        }
        for count in [21, 22, 63] {
            #expect(throws: ImagingError.damaged("it has more than 20 scans")) {
                try decoder.decode(progressive(64, 48, scans: count))
            }
        }
        #expect(try brightness(decoder.decode(progressive(64, 48, scans: 20))) == 128)
    }

    /// Who receives the photo has to decode it.
    @Test("also by a photo or a movie that the JPEG is passed through to")
    func scansOfAnUnchangedPhoto() throws {
        let maker = try PhotoMaker()
        for count in [1, 10, 20] {
            let jpeg = progressive(64, 48, scans: count)
            #expect(try maker.photo(of: .jpeg(jpeg)).bytes == jpeg)
            #expect(try maker.withJPEG(of: .jpeg(jpeg), width: 64, height: 48) { Array($0.bytes) } == jpeg)
        }
        for count in [21, 22, 63] {
            let jpeg = progressive(64, 48, scans: count)
            let tooMany = ImagingError.damaged("it has more than 20 scans")
            #expect(throws: tooMany) { try maker.photo(of: .jpeg(jpeg)) }
            #expect(throws: tooMany) { try maker.withJPEG(of: .jpeg(jpeg), width: 64, height: 48) { _ in } }
        }
    }

    @Test("what looks like scans in a segment, or follows the end of the image, is none")
    func scansThatAreNone() throws {
        let (jpeg, maker) = (progressive(64, 48, scans: 20), try PhotoMaker())
        let scans = [[UInt8]](repeating: [0xFF, 0xDA, 0, 8], count: 40).flatMap { $0 }
        // A thumbnail in EXIF.
        let thumbnail = jpeg[..<2] + [0xFF, 0xE1, 0, UInt8(scans.count + 2)] + scans + jpeg[2...]
        // What the driver appends.
        let padded = jpeg + scans + [0xFF, 0xD9]
        for passed in [Array(thumbnail), padded] {
            #expect(try maker.photo(of: .jpeg(passed)).bytes == passed)
        }
        // Any number of 0xFF before a marker, and a marker without a segment, change nothing.
        let filled = progressive(64, 48, scans: 21).dropLast(2) + [0xFF, 0x01, 0xFF, 0xFF, 0xFF, 0xD9]
        #expect(throws: ImagingError.damaged("it has more than 20 scans")) {
            try maker.photo(of: .jpeg(Array(filled)))
        }
    }

    @Test("coefficients that take more than 32 MiB are not kept until the last scan")
    func coefficients() throws {
        let decoder = try JPEGDecoder()
        let tooLarge = ImagingError.damaged(
            "it has several scans, and is too large to be kept until the last one")
        // Two bytes for each pixel.
        for (width, height) in [(4096, 4096), (16_384, 16_384)] {
            #expect(throws: tooLarge) { try decoder.decode(progressive(width, height, scans: 1)) }
            // Also if a small part of it is wanted.
            #expect(throws: tooLarge) {
                try PhotoMaker().photo(
                    of: .jpeg(progressive(width, height, scans: 1)),
                    showing: Region(x: 0, y: 0, width: 0.01, height: 0.01), fitting: PhotoSize(width: 64))
            }
        }
        #expect(try brightness(decoder.decode(progressive(4096, 4000, scans: 1))) == 128)
    }

    @Test("memory that a large picture needed is given back after small ones")
    func scratch() {
        let scratch = Scratch()
        let (large, small) = (8 * Scratch.alwaysKept, 1000)
        _ = scratch.room(for: large)
        #expect(scratch.capacity == large)
        for _ in 0..<2 * Scratch.usesBeforeShrinking { _ = scratch.room(for: small) }
        #expect(scratch.capacity == small)
        // Sizes that come in turns keep their memory: nothing is allocated for each.
        for count in 0..<10 * Scratch.usesBeforeShrinking {
            _ = scratch.room(for: count.isMultiple(of: 2) ? large : small)
            #expect(scratch.capacity == large)
        }
        // So do sizes that are not much smaller, and little memory.
        for _ in 0..<3 * Scratch.usesBeforeShrinking { _ = scratch.room(for: large / 4) }
        #expect(scratch.capacity == large)
        let little = Scratch()
        _ = little.room(for: Scratch.alwaysKept)
        for _ in 0..<3 * Scratch.usesBeforeShrinking { _ = little.room(for: small) }
        #expect(little.capacity == Scratch.alwaysKept)
    }

    @Test("what is written to it stays until the next use")
    func scratchIsWritable() {
        let scratch = Scratch()
        for length in [1, 64, Scratch.alwaysKept * 5, 3] + [Int](repeating: 10, count: 200) {
            let room = scratch.room(for: length)
            room.update(repeating: 7, count: length)
            #expect(room[0] == 7 && room[length - 1] == 7 && scratch.capacity >= length)
        }
    }
}
