internal import Glibc
package import Picture

/// Video of a camera that delivers H.264, made by ffmpeg: each picture is of one gray, which is brighter by 8
/// than that of the picture before.
package enum GrayVideo {
    package static let width = 64
    package static let height = 48

    /// The luma of a picture, full range. `number`: from 0.
    package static func level(_ number: Int) -> Int { 40 + 8 * number }

    /// The last picture of a stream of its own, with all access units before it.
    ///
    /// - Parameters:
    ///   - count: access units; at most 26.
    ///   - group: a key frame comes every so many of them.
    /// - Returns: nil when there is no ffmpeg.
    package static func stream(_ count: Int, group: Int) -> H264Picture? {
        let levels = "lum='16+(40+8*N)*219/255':cb=103:cr=156"
        let content = output(
            of: "ffmpeg -nostdin -v error -f lavfi -i color=s=64x48:r=30,format=yuv420p,geq=\(levels)"
                + " -frames:v \(count) -c:v libx264 -g \(group) -keyint_min \(group) -sc_threshold 0 -bf 0"
                + " -x264-params aud=1:repeat-headers=1 -threads 1 -f h264 -")
        let units = accessUnits(content)
        guard units.count == count else { return nil }
        return H264Picture(stream: .init(), width: width, height: height, units: units)
    }

    /// The same video, as the stream of another camera.
    package static func copy(_ video: H264Picture) -> H264Picture {
        H264Picture(stream: .init(), width: video.width, height: video.height, units: video.units)
    }

    /// A picture of a stream, by its number, from 0.
    package static func picture(_ number: Int, of video: H264Picture) -> H264Picture {
        H264Picture(
            stream: video.stream, width: video.width, height: video.height,
            units: Array(video.units.prefix(number + 1)))
    }

    private static func accessUnits(_ content: [UInt8]) -> [H264AccessUnit] {
        var units: [H264AccessUnit] = []
        var present: [UInt8] = []
        var isKey = false
        func close() {
            if present.isEmpty { return }
            units.append(
                H264AccessUnit(
                    bytes: present, ordinal: units.count + 1, number: units.count,
                    exposedAt: .now.advanced(by: .milliseconds(33 * units.count)), isKey: isKey))
        }
        for range in content.withUnsafeBufferPointer(H264Units.ranges) {
            let kind = H264Units.kind(content[range.lowerBound])
            if kind == .delimiter {
                close()
                (present, isKey) = ([], false)
            }
            if kind == .keySlice { isKey = true }
            present += [0, 0, 0, 1] + content[range]
        }
        close()
        return units
    }

    private static func output(of command: String) -> [UInt8] {
        guard let pipe = popen(command, "re") else { return [] }
        defer { pclose(pipe) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, pipe), count > 0 { all += part.prefix(count) }
        return all
    }
}
