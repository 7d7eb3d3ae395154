import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// `info.formats`: the restart interval of a camera's JPEGs, which its frames reveal.
struct RestartIntervalTests {
    let bench = CameraBench()

    /// The head of a JPEG, without a picture.
    private func jpeg(width: Int = 64, height: Int = 36, interval: Int?) -> [UInt8] {
        let dri: [UInt8] = interval.map { [0xFF, 0xDD, 0, 4, UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
        let size = [height >> 8, height & 0xFF, width >> 8, width & 0xFF].map(UInt8.init)
        return [0xFF, 0xD8] + dri + [0xFF, 0xC0, 0, 11, 8] + size + [1, 1, 0x11, 0]
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0xFF, 0xD9]
    }

    private func attach(_ pictures: [[UInt8]]) -> ScriptedCamera {
        var description = CameraDescription.scripted()
        description.formats = [("YU12", 64, 36), ("MJPG", 64, 36), ("MJPG", 32, 18)].map {
            .init(pixelFormat: $0.0, width: $0.1, height: $0.2, rates: [30])
        }
        let device = ScriptedCamera(description: description, on: bench.loop)
        device.frameInterval = .seconds(1) / 30
        bench.source.attach(device)
        var next = 0
        device.picture = { _ in
            next += 1
            return .jpeg(pictures[min(next, pictures.count) - 1])
        }
        return device
    }

    /// Takes a photo of the next frame.
    private func photo() {
        bench.advance(by: .milliseconds(40))
        bench.photo()
    }

    /// The interval of each format, in its order.
    private var intervals: [JSONValue] {
        bench.frontEnd.state(on: .info)["formats"].list.map { $0["restart_interval"] }
    }

    private var infos: Int { bench.frontEnd.states(on: .info).count }

    @Test(arguments: [(nil, 0), (0, 0), (1, 1), (120, 120), (65_535, 65_535)])
    func itIsLearnedFromTheFirstFrame(interval: Int?, reported: Int) {
        let device = attach([jpeg(interval: interval)])
        #expect(device.mode.pixelFormat == "MJPG" && device.mode.width == 64)
        let before = infos
        #expect(intervals.allSatisfy { $0 == .null })
        photo()
        #expect(intervals == [.null, .number(Double(reported)), .null])
        photo()
        #expect(infos == before + 1, "it is published once")
    }

    @Test func damagedFramesTellNothing() {
        _ = attach([[0xFF], [], Array(jpeg(interval: 7).prefix(9)), jpeg(interval: 7)])
        for _ in 0..<3 { photo() }
        #expect(intervals.allSatisfy { $0 == .null })
        photo()
        #expect(intervals.contains(7))
    }

    @Test func aNewDeviceIsUnknown() {
        _ = attach([jpeg(interval: 7)])
        photo()
        #expect(intervals.contains(7))
        let other = attach([jpeg(interval: 9)])
        #expect(intervals.allSatisfy { $0 == .null })
        photo()
        #expect(intervals.contains(9) && !other.isClosed)
    }

    /// A frame that was made before a change of the mode counts for its own size.
    @Test func eachSizeHasItsOwn() {
        _ = attach([jpeg(interval: 7), jpeg(interval: 7), jpeg(width: 32, height: 18, interval: 3)])
        photo()
        #expect(bench.send(.session, #"{"quality": "32x18"}"#).statuses == [.done])
        photo()
        #expect(intervals == [.null, 7, .null])
        photo()
        #expect(intervals == [.null, 7, 3])
    }

    @Test func planesHaveNone() {
        bench.attach()
        photo()
        #expect(intervals.allSatisfy { $0 == .null })
    }
}
