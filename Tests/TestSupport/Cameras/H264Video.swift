package import Cameras
internal import Glibc

/// Video of H.264 that x264 has made, as a camera delivers it.
package struct H264Video {
    /// All access units.
    package let picture: H264Picture

    /// Access units, each of a gray that is brighter by 8 than the one before; the first one's is 40. nil:
    /// ffmpeg has not made them.
    ///
    /// - Parameters:
    ///   - group: access units from one key frame to the next.
    ///   - slices: of each picture.
    ///   - pixels: ffmpeg's name of the format that is encoded.
    ///   - start: when the first one was exposed; the others follow every 33 ms.
    package init?(
        _ count: Int, group: Int, width: Int = 64, height: Int = 48, slices: Int = 1,
        pixels: String = "yuv420p", start: ContinuousClock.Instant = .now
    ) {
        let levels = "lum='16+(40+8*N)*219/255':cb=103:cr=156"
        let content = Self.output(
            of: "ffmpeg -nostdin -v error -f lavfi"
                + " -i color=s=\(width)x\(height):r=30,format=yuv420p,geq=\(levels)"
                + " -frames:v \(count) -c:v libx264 -g \(group) -keyint_min \(group) -sc_threshold 0 -bf 0"
                + " -pix_fmt \(pixels) -x264-params aud=1:repeat-headers=1:slices=\(slices) -threads 1 -f h264 -"
        )
        var units: [H264AccessUnit] = []
        var present: [UInt8] = []
        var isKey = false
        func close() {
            if present.isEmpty { return }
            units.append(
                H264AccessUnit(
                    bytes: present, ordinal: units.count + 1, number: units.count,
                    exposedAt: start.advanced(by: .milliseconds(33 * units.count)), isKey: isKey))
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
        guard units.count == count else { return nil }
        picture = H264Picture(stream: .init(), width: width, height: height, units: units)
    }

    package init(_ picture: H264Picture) { self.picture = picture }

    /// The picture after so many access units.
    package func first(_ count: Int) -> H264Picture {
        H264Picture(
            stream: picture.stream, width: picture.width, height: picture.height,
            units: Array(picture.units.prefix(count)))
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
