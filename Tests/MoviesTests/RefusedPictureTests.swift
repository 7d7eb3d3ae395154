import TestSupport
import Testing

@testable import Cameras
@testable import Media

/// Pictures of H.264 that are refused: those of other kinds, and those that lack a part, as after an
/// incomplete transfer, while the units that are there are intact.
@Suite(.timeLimit(.minutes(5))) struct RefusedPictureTests {
    /// A stream of pictures of four slices. One of them lacks its last slices.
    private func stream(lacking slices: Int, ofPicture number: Int) throws -> H264Video {
        let video = try #require(H264Video(6, group: 4, height: 128, slices: 4))
        var units = video.picture.units
        let unit = units[number]
        let ranges = unit.bytes.withUnsafeBufferPointer(H264Units.ranges)
        let isSlice = ranges.map { [1, 5].contains(unit.bytes[$0.lowerBound] & 31) }
        try #require(isSlice.count { $0 } == 4)
        let kept = ranges.dropLast(slices).flatMap { [0, 0, 0, 1] + unit.bytes[$0] }
        units[number] = H264AccessUnit(
            bytes: kept, ordinal: unit.ordinal, number: unit.number, exposedAt: unit.exposedAt,
            isKey: unit.isKey)
        return H264Video(
            H264Picture(
                stream: video.picture.stream, width: video.picture.width, height: video.picture.height,
                units: units))
    }

    @Test(arguments: [0, 2], 1...3) func picturesThatLackAPartAreErrors(number: Int, slices: Int) throws {
        let video = try stream(lacking: slices, ofPicture: number)
        let decoder = H264Decoder()
        for count in 1...number + 2 where count > number {
            #expect(throws: MovieError.self, "up to \(count)") {
                try decoder.picture(of: video.first(count))
            }
        }
        // The next key frame heals it.
        let picture = try decoder.picture(of: video.first(5))
        #expect(picture.samples.prefix(picture.width * picture.height).allSatisfy { abs(Int($0) - 72) <= 3 })
    }

    @Test func wholePicturesOfSeveralSlicesAreDecoded() throws {
        let video = try #require(H264Video(6, group: 4, height: 128, slices: 4))
        let decoder = H264Decoder()
        for count in 1...6 {
            let picture = try decoder.picture(of: video.first(count))
            let luma = picture.samples.prefix(picture.width * picture.height)
            #expect(luma.allSatisfy { abs(Int($0) - (32 + 8 * count)) <= 3 })
        }
    }

    @Test(arguments: ["yuv420p10le", "yuv444p"]) func otherKindsAreNamed(pixels: String) throws {
        let video = try #require(H264Video(1, group: 1, pixels: pixels))
        #expect {
            try H264Decoder().picture(of: video.picture)
        } throws: {
            ($0 as? MovieError)?.description.contains("only 8 bits, and colours of 4:2:0 or 4:2:2") == true
        }
    }

    @Test func coloursOf422AreDecoded() throws {
        let video = try #require(H264Video(1, group: 1, pixels: "yuv422p"))
        #expect(try H264Decoder().picture(of: video.picture).sampling == .yuv422)
    }
}
