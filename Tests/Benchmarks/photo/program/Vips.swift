import CPhotoLibraries
import Foundation

/// libvips doing the same on one thread: a C program (`Tests/Benchmarks/peers/vips.c`) that measures itself.
struct Vips {
    let program: URL
    let file: URL

    struct Failure: Error { let status: Int32 }

    /// - Parameter output: where the last photo goes.
    /// - Returns: milliseconds.
    func milliseconds(for shot: Shot, quality: Int, rounds: Int, into output: URL) throws -> Double {
        let part = shot.part
        let numbers = [part.x, part.y, part.width, part.height].map(Int.init)
        let process = Process()
        process.executableURL = program
        process.arguments =
            [file.path] + (numbers + [shot.width, shot.height, quality, rounds]).map(String.init) + [
                output.path
            ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let time = Double(said.trimmingCharacters(in: .whitespacesAndNewlines))
        guard process.terminationStatus == 0, let time else {
            throw Failure(status: process.terminationStatus)
        }
        return time
    }
}
