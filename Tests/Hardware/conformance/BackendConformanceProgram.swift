import Base
import Cameras
import Glibc
import Settings
import TestSupport

/// Checks the V4L2 driver with a device: `BackendConformance DEVICE [SEEDS]`. It prints each problem, and
/// ends with 1 if there is one.
@main struct BackendConformanceProgram {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { return end(2, "usage: BackendConformance DEVICE [SEEDS]") }
        let path = arguments[1]
        let seeds = arguments.count > 2 ? UInt64(arguments[2]) ?? 10 : 10
        let loop = EventLoop()
        let watcher = try DeviceWatcher(on: loop)
        var source: DeviceSource?
        let conformance = BackendConformance(
            .init(
                open: {
                    // The threads of the camera before end a little later, and keep the device as long.
                    source = nil
                    let end = loop.now + .milliseconds(300)
                    _ = loop.turn(until: { loop.now >= end })
                    var camera: (any CameraBackend)?
                    var settings = CameraSettings.standard
                    settings.sources = [.v4l2(path: path)]
                    let next = DeviceSource(of: settings, watcher: watcher, on: loop)
                    source = next
                    next.found = { camera = $0 }
                    next.missing = { print("\(path) is missing: \($0)") }
                    next.search()
                    _ = loop.turn(until: { camera != nil })
                    return camera
                }, now: { loop.now }, letTimePass: { loop.turn(until: $0) }))
        conformance.run(seeds: 1...max(1, seeds))
        _ = source
        for problem in conformance.problems { print(problem) }
        print("\(path): \(conformance.problems.count) problems")
        end(conformance.problems.isEmpty ? 0 : 1, "")
    }

    private static func end(_ status: Int32, _ words: String) {
        if !words.isEmpty { print(words) }
        fflush(nil)
        exit(status)
    }
}

extension EventLoop {
    /// Turns until something is so; false: it did not become so within 20 s.
    fileprivate func turn(until isSo: () -> Bool) -> Bool {
        let end = now + .seconds(20)
        while !isSo() {
            if now >= end { return false }
            runOnce(timeout: .milliseconds(5))
        }
        return true
    }
}
