import CPhotoLibraries
import Cameras
import Foundation
import Media

/// How long a photo from a 1080p JPEG takes at each zoom factor and as a preview, on one thread: beside the
/// libraries called the plain way in the same process, round about, beside ffmpeg, and beside libvips. And
/// how long a picture for an output device takes, beside ffmpeg.
///
/// Options: `--json` prints an array of ``Row`` instead of the table; `--rounds N` (default 60);
/// `--no-ffmpeg`; `--vips PROGRAM`; `--photos FOLDER` keeps all photos there, as `2x-ours.jpg`,
/// beside `source.jpg`. Ends with 1 when a promise isn't kept.
@main
struct PhotoBenchmark {
    static let quality = 90
    /// A passed-through photo, in milliseconds.
    static let mostPassThrough = 0.1

    struct Failure: Error { let words: String }

    static func main() throws {
        exit(try measure() ? 0 : 1)
    }

    /// - Returns: whether the promises were kept.
    static func measure() throws -> Bool {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap {
                arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil
            }
        }
        let rounds = option("--rounds").flatMap { Int($0) } ?? 60
        let vips = option("--vips").map { URL(fileURLWithPath: $0) }

        let maker = try PhotoMaker()
        let scene = Scene.picture(width: Shot.source.width, height: Shot.source.height)
        let jpeg = try maker.photo(of: .planar(scene), quality: 92).bytes
        let kept = option("--photos").map { URL(fileURLWithPath: $0) }
        let folder =
            kept ?? FileManager.default.temporaryDirectory.appendingPathComponent("photo-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if kept == nil { try? FileManager.default.removeItem(at: folder) } }
        let file = folder.appendingPathComponent("source.jpg")
        try Data(jpeg).write(to: file)

        var rows = [try passThrough(jpeg, maker, rounds: rounds)]
        for shot in TurnShot.all { rows += try shot.measure(jpeg, maker, rounds: rounds) }
        for shot in Shot.all {
            var row = try measure(jpeg, maker, shot, rounds: rounds, photos: folder)
            func photo(of peer: String) -> URL { folder.appendingPathComponent("\(shot.name)-\(peer).jpg") }
            if !arguments.contains("--no-ffmpeg") {
                let peer = FFmpeg(file: file, shot: shot)
                row.ffmpeg = try peer.milliseconds(forPhotosOf: row.bytes, into: photo(of: "ffmpeg"))
            }
            if let vips {
                row.vips = try Vips(program: vips, file: file).milliseconds(
                    for: shot, quality: quality, rounds: min(rounds, 20), into: photo(of: "vips"))
            }
            rows.append(row)
        }
        for shot in OutputShot.all {
            let peer = FFmpeg(file: file, shot: shot.part)
            rows.append(
                try shot.measure(
                    jpeg, rounds: rounds, besides: arguments.contains("--no-ffmpeg") ? nil : peer))
        }

        if arguments.contains("--json") {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(rows), as: UTF8.self))
        } else {
            print(
                "photos from a \(Shot.source.width)x\(Shot.source.height) 4:2:2 JPEG of \(jpeg.count) bytes, quality",
                "\(quality), medians of \(rounds) rounds, in ms")
            print(([Row.heading] + rows.map(\.line)).joined(separator: "\n"))
        }
        return rows.allSatisfy { $0.isKept ?? true }
    }

    static func passThrough(_ jpeg: [UInt8], _ maker: PhotoMaker, rounds: Int) throws -> Row {
        let (width, height) = Shot.source
        var row = Row(name: "untouched", zoom: 1, width: width, height: height, part: [0, 0, width, height])
        row.ours = try (0..<rounds).map { _ in try timed { try maker.photo(of: .jpeg(jpeg)) }.time }.median
        row.mostOurs = mostPassThrough
        row.bytes = jpeg.count
        return row
    }

    /// Ours and the libraries take turns, and in every other round change places, so that neither has the
    /// warmer cache.
    static func measure(
        _ jpeg: [UInt8], _ maker: PhotoMaker, _ shot: Shot, rounds: Int, photos: URL
    ) throws -> Row {
        let lent = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: jpeg.count)
        defer { lent.deallocate() }
        _ = lent.initialize(from: jpeg)
        guard let libraries = photo_libraries_new(lent.baseAddress, lent.count) else {
            throw Failure(words: "the libraries can't be set up")
        }
        defer { photo_libraries_free(libraries) }
        var part = shot.part
        var ours: [Double] = []
        var theirs: [photo_times] = []
        var row = Row(
            name: shot.name, zoom: shot.zoom, width: shot.width, height: shot.height,
            part: [part.x, part.y, part.width, part.height].map(Int.init))
        for round in -3..<rounds {  // Three to warm up.
            for isOurs in round % 2 == 0 ? [true, false] : [false, true] {
                if isOurs {
                    let (photo, time) = try timed {
                        try maker.photo(
                            of: .jpeg(jpeg), showing: shot.region, fitting: PhotoSize(width: shot.width),
                            // As the agent requests them.
                            sampling: shot.name == "preview" ? .yuv420 : nil, quality: quality)
                    }
                    row.bytes = photo.bytes.count
                    if round >= 0 { ours.append(time) }
                    if round == 0 { try keep(photo.bytes, photos, shot, "ours") }
                } else {
                    var times = photo_times()
                    let result = photo_libraries_run(
                        libraries, &part, Int32(shot.width), Int32(shot.height), Int32(quality), &times)
                    guard result == 0 else {
                        throw Failure(words: String(cString: photo_libraries_words(libraries)))
                    }
                    if round >= 0 { theirs.append(times) }
                }
            }
        }
        var length = 0
        let file = photo_libraries_file(libraries, &length)
        try keep(Array(UnsafeBufferPointer(start: file, count: length)), photos, shot, "libraries")
        row.ours = ours.median
        row.decode = theirs.map(\.decode).median
        row.scale = theirs.map(\.scale).median
        row.encode = theirs.map(\.encode).median
        let sum = theirs.map { $0.decode + $0.scale + $0.encode }.median
        row.libraries = sum
        row.ratio = row.ours / sum
        row.mostRatio = shot.mostRatio
        return row
    }

    static func keep(_ photo: [UInt8], _ folder: URL, _ shot: Shot, _ maker: String) throws {
        try Data(photo).write(to: folder.appendingPathComponent("\(shot.name)-\(maker).jpg"))
    }

    static func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, time: Double) {
        let start = ContinuousClock.now
        let result = try body()
        return (result, (ContinuousClock.now - start) / .milliseconds(1))
    }
}
