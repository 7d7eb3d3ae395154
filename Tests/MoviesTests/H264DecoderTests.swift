import Foundation
import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Media

/// Pictures of a camera's own H.264, and movies of it. The stream is one that x264 made.
@Suite(.timeLimit(.minutes(5))) struct H264DecoderTests {
    let folder = TemporaryFolder()
    private static let side = (width: 64, height: 48)

    private func stream(_ count: Int, group: Int) throws -> H264Picture {
        try #require(H264Video(count, group: group, width: Self.side.width, height: Self.side.height)).picture
    }

    private func part(_ video: H264Picture, _ count: Int) -> H264Picture {
        H264Picture(
            stream: video.stream, width: video.width, height: video.height,
            units: Array(video.units.prefix(count)))
    }

    private func expect(_ picture: PlanarPicture, shows number: Int) {
        let level = 40 + 8 * number
        #expect((picture.width, picture.height) == (Self.side.width, Self.side.height))
        let luma = picture.width * picture.height
        let (blue, red) = (luma..<luma * 5 / 4, luma * 5 / 4..<luma * 3 / 2)
        for (plane, level) in [(0..<luma, level), (blue, 100), (red, 160)] {
            let isPlain = picture.samples[plane].allSatisfy { abs(Int($0) - level) <= 3 }
            #expect(isPlain, "picture \(number)")
        }
    }

    @Test func aPictureIsDecodedFromItsKeyFrame() throws {
        let video = try stream(9, group: 4)
        let decoder = H264Decoder()
        expect(try decoder.picture(of: part(video, 8)), shows: 7)
        #expect(decoder.decodings == 4, "those since the key frame")
        // Each access unit once, also over a key frame.
        expect(try decoder.picture(of: video), shows: 8)
        #expect(decoder.decodings == 5)
    }

    @Test func eachAccessUnitIsDecodedOnce() throws {
        let video = try stream(9, group: 30)
        let decoder = H264Decoder()
        for count in [3, 6, 9] {
            expect(try decoder.picture(of: part(video, count)), shows: count - 1)
            #expect(decoder.decodings == count)
        }
        // As for another part of the same frame.
        expect(try decoder.picture(of: video), shows: 8)
        #expect(decoder.decodings == 9)
    }

    @Test func anotherStreamAndAnEarlierPictureBeginAtTheirKeyFrame() throws {
        let (video, other) = (try stream(4, group: 30), try stream(3, group: 30))
        let decoder = H264Decoder()
        expect(try decoder.picture(of: video), shows: 3)
        expect(try decoder.picture(of: other), shows: 2)
        expect(try decoder.picture(of: part(video, 2)), shows: 1)
        #expect(decoder.decodings == 4 + 3 + 2)
    }

    @Test func aDamagedPictureIsAnErrorAndTheNextKeyFrameHealsIt() throws {
        let video = try stream(9, group: 4)
        var units = video.units
        let damaged = units[5]
        var bytes = damaged.bytes
        for place in bytes.count / 2..<bytes.count { bytes[place] = 0x55 }
        units[5] = H264AccessUnit(
            bytes: Array(bytes.prefix(6)), ordinal: damaged.ordinal, number: damaged.number,
            exposedAt: damaged.exposedAt, isKey: false)
        let broken = H264Picture(stream: video.stream, width: video.width, height: video.height, units: units)
        let decoder = H264Decoder()
        #expect(throws: MovieError.self) { try decoder.picture(of: part(broken, 6)) }
        #expect(throws: MovieError.self) { try decoder.picture(of: part(broken, 7)) }
        expect(try decoder.picture(of: broken), shows: 8)
    }

    @Test func aMissingLibraryIsNamed() throws {
        var libraries = MovieLibraries.installed
        libraries.codec = "libmissing.so.1"
        #expect(throws: MovieError.self) {
            try H264Decoder(libraries: libraries).picture(of: stream(1, group: 1))
        }
    }

    // Movies of the camera's own video

    @Test func accessUnitsAreStoredAsTheyAre() throws {
        let video = try stream(9, group: 4)
        let path = "\(folder.path)/passed.mp4"
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(codec: .h264, width: Self.side.width, height: Self.side.height, rate: 30))
        #expect(throws: MovieError.self) {
            try writer.write(accessUnit: video.units[1].bytes, isKey: false, at: .zero)
        }
        for (number, unit) in video.units.enumerated() {
            // Two of them have the same time.
            let time = Duration.milliseconds(number == 3 ? 66 : 33 * number)
            try writer.write(accessUnit: unit.bytes, isKey: unit.isKey, at: time)
        }
        let result = writer.finish()
        #expect(result.frames == 9 && result.failure == nil && result.encoder == nil)
        let content = try [UInt8](Data(contentsOf: URL(filePath: path)))
        for unit in video.units {
            for range in unit.bytes.withUnsafeBufferPointer(H264Units.ranges)
            where [1, 5].contains(unit.bytes[range.lowerBound] & 31) {
                #expect(content.contains(unit.bytes[range]))
            }
        }
    }

    /// A crash costs a second, however seldom the camera sends key frames.
    @Test func aLongGroupIsInSeveralFragments() throws {
        let video = try stream(90, group: 90)
        let path = "\(folder.path)/long.mp4"
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(codec: .h264, width: Self.side.width, height: Self.side.height, rate: 30))
        for (number, unit) in video.units.enumerated() {
            try writer.write(accessUnit: unit.bytes, isKey: unit.isKey, at: .milliseconds(33 * number))
        }
        let written = try Data(contentsOf: URL(fileURLWithPath: path))
        var (fragments, place) = (0, written.startIndex)
        while let found = written.range(of: Data("moof".utf8), in: place..<written.endIndex) {
            (fragments, place) = (fragments + 1, found.upperBound)
        }
        #expect(fragments >= 2)
        writer.finish()
    }

    @Test func otherParametersBelongIntoAnotherFile() throws {
        let video = try stream(2, group: 1)
        let writer = try MovieWriter(
            path: "\(folder.path)/first.mp4",
            format: MovieFormat(codec: .h264, width: Self.side.width, height: Self.side.height, rate: 30))
        #expect(writer.takes(accessUnit: video.units[0].bytes))
        try writer.write(accessUnit: video.units[0].bytes, isKey: true, at: .zero)
        #expect(writer.takes(accessUnit: video.units[1].bytes))
        var changed = video.units[1].bytes
        let sequence = try #require(
            changed.withUnsafeBufferPointer(H264Units.ranges).first { changed[$0.lowerBound] & 31 == 7 })
        changed[sequence.lowerBound + 3] ^= 1
        #expect(!writer.takes(accessUnit: changed))
        writer.finish()
    }

    /// A camera may encode another size than that of its mode.
    @Test func aMovieHasTheSizeOfTheStream() throws {
        let video = try stream(4, group: 4)
        let path = "\(folder.path)/size.mp4"
        let writer = try MovieWriter(
            path: path, format: MovieFormat(codec: .h264, width: 320, height: 240, rate: 30))
        #expect(writer.pictureSize == (320, 240))
        for (number, unit) in video.units.enumerated() {
            try writer.write(accessUnit: unit.bytes, isKey: unit.isKey, at: .milliseconds(33 * number))
        }
        #expect(writer.pictureSize == Self.side)
        let fragmented = try [UInt8](Data(contentsOf: URL(filePath: path)))
        writer.finish()
        for content in [fragmented, try [UInt8](Data(contentsOf: URL(filePath: path)))] {
            // In the entry of the track's pictures, two numbers of 16 bits follow its name and 24 bytes.
            let entry = try #require(content.lastRange(of: Array("avc1".utf8))).lowerBound + 28
            #expect(content[entry..<entry + 4].elementsEqual([0, 64, 0, 48]))
            // The head of the track ends with the size in which it is shown, in 16.16 bits.
            let head = try #require(content.lastRange(of: Array("tkhd".utf8))).lowerBound
            let length = Int(content[head - 2]) << 8 | Int(content[head - 1])
            let shown = content[head + length - 12..<head + length - 4]
            #expect(shown.elementsEqual([0, 64, 0, 0, 0, 48, 0, 0]))
        }
    }
}

extension [UInt8] {
    fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? {
        indices.last { self[$0...].starts(with: bytes) }.map { $0..<$0 + bytes.count }
    }
}
