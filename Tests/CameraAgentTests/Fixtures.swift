import CameraAgent
import Cameras
import Glibc
import LoopThread
import Picture
import Testing

/// A folder that goes away with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/agent-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
        }
    }

    deinit { system("rm -rf '\(path)'") }

    /// The names in one of its folders, in order.
    func names(in folder: String) -> [String] {
        guard let handle = opendir("\(path)/\(folder)") else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes a file of so many bytes, that was written so long ago.
    func make(_ name: String, bytes: Int, age: Int = 0) {
        system(
            "mkdir -p \"$(dirname '\(path)/\(name)')\"; head -c \(bytes) /dev/zero >'\(path)/\(name)'; "
                + "touch -d '\(age) seconds ago' '\(path)/\(name)'")
    }
}

/// A file's size in bytes; nil: there is none.
func size(_ path: String) -> Int? {
    var state = stat()
    return stat(path, &state) == 0 ? Int(state.st_size) : nil
}

/// A frame of one gray, half as bright again with each number.
func frame(_ number: Int, width: Int = 320, height: Int = 180) -> Frame {
    let luma = [UInt8](repeating: UInt8(number * 7 % 200), count: width * height)
    let chroma = PlanarPicture.Plane(
        width: width / 2, height: height / 2, samples: [UInt8](repeating: 128, count: width * height / 4))
    let picture = PlanarPicture(
        subsampling: .yuv420, luma: .init(width: width, height: height, samples: luma),
        blueDifference: chroma, redDifference: chroma)
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
            turn(waitingAtMost: .milliseconds(10))
        }
    }
}
