import CPhotoLibraries
import Foundation

/// ffmpeg doing the same crop and scale, and the same encode if there is one, on one thread, with the JPEG as
/// its camera.
struct FFmpeg {
    /// The JPEG to make photos of.
    let file: URL
    let shot: Shot

    struct Failure: Error { let status: Int32 }

    private enum Product {
        /// A JPEG of one of ffmpeg's qualities.
        case photo(quality: Int, into: URL?)
        /// Samples that are not encoded, in one of ffmpeg's pixel formats.
        case samples(String)
    }

    /// Milliseconds a frame, without the start: the difference of a long and a short run. The median of
    /// three.
    ///
    /// - Parameters:
    ///   - bytes: the length of the JPEG that is the equal of the one to make. ffmpeg counts quality
    ///     otherwise, so it is given the quality that comes nearest to that length.
    ///   - photo: where to leave such a photo.
    func milliseconds(forPhotosOf bytes: Int, into photo: URL) throws -> Double {
        let lengths = try (1...12).map { quality in
            (quality: quality, bytes: try length(quality: quality, photo))
        }
        guard let nearest = lengths.min(by: { abs($0.bytes - bytes) < abs($1.bytes - bytes) }) else {
            throw Failure(status: 0)
        }
        let time = try milliseconds(for: .photo(quality: nearest.quality, into: nil))
        _ = try length(quality: nearest.quality, photo)
        return time
    }

    /// Milliseconds for a frame of samples that are not encoded, without the start.
    ///
    /// - Parameter pixelFormat: one of ffmpeg's, such as `yuyv422`.
    func milliseconds(forSamplesIn pixelFormat: String) throws -> Double {
        try milliseconds(for: .samples(pixelFormat))
    }

    private func milliseconds(for product: Product) throws -> Double {
        let (short, long) = (5, 105)
        return try (0..<3).map { _ in
            let start = try run(frames: short, making: product)
            return (try run(frames: long, making: product) - start) / Double(long - short)
        }.median
    }

    private func length(quality: Int, _ photo: URL) throws -> Int {
        _ = try run(frames: 1, making: .photo(quality: quality, into: photo))
        return try Data(contentsOf: photo).count
    }

    /// - Returns: milliseconds from start to end of the program.
    private func run(frames: Int, making product: Product) throws -> Double {
        let part = shot.part
        let isScaled = (Int(part.width), Int(part.height)) != (shot.width, shot.height)
        let filters =
            ["crop=\(part.width):\(part.height):\(part.x):\(part.y):exact=1"]
            + (isScaled ? ["scale=\(shot.width):\(shot.height):flags=lanczos"] : [])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let source = ["-f", "image2", "-loop", "1", "-i", file.path, "-frames:v", "\(frames)"]
        let (pixels, encoding, target): (String, [String], [String]) =
            switch product {
            case .photo(let quality, let file):
                (
                    "yuvj422p", ["-c:v", "mjpeg", "-huffman", "default", "-qmin", "1", "-q:v", "\(quality)"],
                    file.map { ["-f", "image2", "-update", "1", $0.path] } ?? ["-f", "null", "-"]
                )
            case .samples(let format): (format, ["-c:v", "rawvideo"], ["-f", "null", "-"])
            }
        let oneThread = ["-threads", "1", "-filter_threads", "1"]
        var arguments = ["ffmpeg", "-nostdin", "-v", "error", "-y"] + oneThread + source
        arguments += ["-vf", filters.joined(separator: ","), "-pix_fmt", pixels] + encoding
        arguments += ["-threads", "1"] + target
        process.arguments = arguments
        let start = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return (ContinuousClock.now - start) / .milliseconds(1)
    }
}
