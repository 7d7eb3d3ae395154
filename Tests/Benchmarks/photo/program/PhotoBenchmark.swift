import CPhotoLibraries
import Foundation
import Imaging
import Picture

/// How long a photo at 1080p takes from a JPEG at each zoom factor, beside the libraries' own times in the
/// same process, round about, and beside ffmpeg.
///
/// Options: `--json` prints an array of ``Row`` instead of the table; `--rounds N` (default 60);
/// `--no-ffmpeg`. Ends with 1 when a photo takes more than ``goal`` times what the libraries take.
@main
struct PhotoBenchmark {
    static let goal = 1.3
    static let (width, height, quality) = (1920, 1080, 90)

    struct Failure: Error { let words: String }

    static func main() throws {
        exit(try measure() ? 0 : 1)
    }

    /// - Returns: whether the goal was met.
    static func measure() throws -> Bool {
        let arguments = CommandLine.arguments
        let rounds = arguments.firstIndex(of: "--rounds").flatMap { Int(arguments[$0 + 1]) } ?? 60

        let maker = try PhotoMaker()
        let scene = Scene.picture(width: width, height: height)
        let jpeg = try maker.photo(of: .planar(scene), quality: 92).bytes
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photo-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("source.jpg")
        try Data(jpeg).write(to: file)

        var rows = [try passThrough(jpeg, maker, rounds: rounds)]
        for zoom in [1, 2, 4, 8] {
            var row = try measure(jpeg, maker, zoom: zoom, rounds: rounds)
            if !arguments.contains("--no-ffmpeg") {
                let (width, height) = (width / zoom, height / zoom)
                let crop = "\(width):\(height):\((Self.width - width) / 2):\((Self.height - height) / 2)"
                let scale = zoom == 1 ? nil : "\(Self.width):\(Self.height)"
                let peer = FFmpeg(file: file, crop: crop, scale: scale)
                let (time, bytes) = try peer.milliseconds(forPhotosOf: row.bytes)
                row.ffmpeg = time
                row.ffmpegRatio = row.ours / time
                row.ffmpegBytes = bytes
            }
            rows.append(row)
        }

        if arguments.contains("--json") {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(rows), as: UTF8.self))
        } else {
            print(
                "photo \(width)x\(height) of a 4:2:2 JPEG of \(jpeg.count) bytes, quality \(quality),",
                "medians of \(rounds) rounds, in ms")
            print(([Row.heading] + rows.map(\.line)).joined(separator: "\n"))
        }
        return rows.allSatisfy { ($0.ratio ?? 0) <= goal }
    }

    static func passThrough(_ jpeg: [UInt8], _ maker: PhotoMaker, rounds: Int) throws -> Row {
        var row = Row(zoom: 1, passThrough: true)
        row.ours = try (0..<rounds).map { _ in try timed { try maker.photo(of: .jpeg(jpeg)) }.time }.median
        row.bytes = jpeg.count
        return row
    }

    /// Ours and the libraries take turns, and in every other round change places, so that neither has the
    /// warmer cache.
    static func measure(_ jpeg: [UInt8], _ maker: PhotoMaker, zoom: Int, rounds: Int) throws -> Row {
        let lent = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: jpeg.count)
        defer { lent.deallocate() }
        _ = lent.initialize(from: jpeg)
        guard let libraries = photo_libraries_new(lent.baseAddress, lent.count) else {
            throw Failure(words: "the libraries can't be set up")
        }
        defer { photo_libraries_free(libraries) }
        let part = 1 / Double(zoom)
        let region = Region(x: (1 - part) / 2, y: (1 - part) / 2, width: part, height: part)
        let (across, down) = (width / zoom, height / zoom)
        // At 8x the region begins half-way between two rows.
        let top = Int((Double(height - down) / 2).rounded())

        var ours: [Double] = []
        var theirs: [photo_times] = []
        var row = Row(zoom: zoom, passThrough: false)
        for round in -3..<rounds {  // Three to warm up.
            for isOurs in round % 2 == 0 ? [true, false] : [false, true] {
                if isOurs {
                    let (photo, time) = try timed {
                        try maker.photo(of: .jpeg(jpeg), showing: region, quality: quality)
                    }
                    row.bytes = photo.bytes.count
                    if round >= 0 { ours.append(time) }
                } else {
                    var times = photo_times()
                    let result = photo_libraries_run(
                        libraries, Int32((width - across) / 2), Int32(top), Int32(across), Int32(down),
                        Int32(quality), &times)
                    guard result == 0 else {
                        throw Failure(words: String(cString: photo_libraries_words(libraries)))
                    }
                    guard round < 0 || zoom > 1 || times.bytes == row.bytes else {
                        throw Failure(words: "not the same photo: \(row.bytes) bytes, not \(times.bytes)")
                    }
                    if round >= 0 { theirs.append(times) }
                }
            }
        }
        row.ours = ours.median
        row.decode = theirs.map(\.decode).median
        row.scale = theirs.map(\.scale).median
        row.encode = theirs.map(\.encode).median
        let sum = theirs.map { $0.decode + $0.scale + $0.encode }.median
        row.libraries = sum
        row.ratio = row.ours / sum
        return row
    }

    static func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, time: Double) {
        let start = ContinuousClock.now
        let result = try body()
        return (result, (ContinuousClock.now - start) / .milliseconds(1))
    }
}
