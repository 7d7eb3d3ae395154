import Testing

@testable import Cameras
@testable import Media

@Suite("The header of a JPEG, read without decoding it")
struct JPEGFrameHeaderTests {
    /// A JPEG of libjpeg-turbo, with segments in front of its frame header or of its scan.
    private func jpeg(with segments: [UInt8] = [], beforeScan: Bool = false) throws -> [UInt8] {
        let bytes = try jpegMap(320, 240)
        let marker: UInt8 = beforeScan ? 0xDA : 0xC0
        let place = try #require(
            bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
        return Array(bytes[..<place]) + segments + bytes[place...]
    }

    @Test func theSizeIsRead() throws {
        let header = try #require(JPEGFrameHeader(try jpeg()))
        #expect((header.width, header.height) == (320, 240))
        // In a comment it is no segment.
        let comment: [UInt8] = [0xFF, 0xFE, 0, 12, 0xFF, 0xC0, 0, 8, 8, 0, 9, 0, 9, 1]
        #expect(JPEGFrameHeader(try jpeg(with: comment)) == header)
    }

    /// A size that libjpeg-turbo finds is found here too: frames are refused by it.
    @Test(
        arguments: [[0xFF, 0x01], [0xFF, 0xD0], [0xFF, 0xFF, 0xD7, 0xFF, 0x01]] as [[UInt8]], [false, true])
    func markersWithoutASegmentAreSkipped(segments: [UInt8], beforeScan: Bool) throws {
        let bytes = try jpeg(with: segments, beforeScan: beforeScan)
        let header = try JPEGHeader(of: bytes)
        #expect((header.width, header.height) == (320, 240))
        #expect(JPEGFrameHeader(bytes)?.width == 320 && JPEGFrameHeader(bytes)?.height == 240)
    }

    @Test func whatIsNoHeaderIsNone() throws {
        let whole = try jpeg()
        for bytes: [UInt8] in [
            [], [0xFF], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xFF], [UInt8](repeating: 0xFF, count: 100_000),
            [0xFF, 0xD8, 0xFF, 0xD9], [0xFF, 0xD8] + whole, [UInt8](repeating: 0, count: 64),
            try jpeg(with: [0xFF, 0xDD, 0, 1]), try jpeg(with: [0xFF, 0xFE, 0xFF, 0xFF]),
            try jpeg(with: [0x12]), try jpeg(with: [0xFF, 0xD8]),
        ] {
            #expect(JPEGFrameHeader(bytes) == nil)
        }
    }

    /// Each byte that is read is there, whatever the others say.
    @Test func nothingIsReadBeyondTheEnd() throws {
        let whole = try jpeg(with: [0xFF, 0xDD, 0, 4, 0, 20])
        let scan = try #require(whole.indices.dropLast().last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
        for count in 0..<scan + 4 { #expect(JPEGFrameHeader(Array(whole.prefix(count))) == nil) }
        for place in 0..<scan + 4 {
            for value: UInt8 in [0, 1, 2, 0x7F, 0xC0, 0xDA, 0xDD, 0xFE, 0xFF] {
                var bytes = Array(whole.prefix(scan + 20))
                bytes[place] = value
                _ = JPEGFrameHeader(bytes)
            }
        }
    }
}
