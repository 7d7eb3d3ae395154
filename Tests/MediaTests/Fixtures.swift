import Base
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cameras

extension TemporaryFolder {
    /// Makes a file of so many bytes, that was written so many seconds ago.
    func make(_ name: String, bytes: Int, age: Int = 0) throws {
        let file = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: bytes).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now - TimeInterval(age)], ofItemAtPath: file.path)
    }
}

/// A file's size in bytes; nil: there is none.
func size(_ path: String) -> Int? {
    var state = stat()
    return stat(path, &state) == 0 ? Int(state.st_size) : nil
}

/// A frame of one gray, another one with each number.
func frame(_ number: Int, width: Int = 320, height: Int = 180) -> Frame {
    let luma = [UInt8](repeating: UInt8(number * 7 % 200), count: width * height)
    let chroma = [UInt8](repeating: 128, count: width * height / 2)
    let picture = PlanarPicture(sampling: .yuv420, width: width, height: height, samples: luma + chroma)
    return Frame(picture: .planar(picture), field: .whole, number: number, exposedAt: .now)
}

extension EventLoop {
    /// Turns until something is so, but not for ever.
    func turn(until isSo: () -> Bool) {
        let end = ContinuousClock.now + .seconds(30)
        while !isSo() {
            guard .now < end else {
                Issue.record("waited in vain")
                return
            }
            runOnce(timeout: .milliseconds(10))
        }
    }
}
