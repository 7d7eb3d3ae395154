import Base
import CAllocations
import Core
import FoundationEssentials
import Logging
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What a message costs on the heap, from the decoded command to the bytes for the front ends.
@Suite(.enabled(if: allocations_of_this_thread() >= 0), .serialized)
struct AllocationTests {
    /// Counts bytes, and keeps nothing.
    private final class CountingFrontEnd: FrontEnd, ReplyAddress, CameraObserver, CameraStorage {
        var bytes = 0
        let waitingAnswers = WaitingAnswers()
        var hasCapacity: Bool { true }
        var acceptsPhotos: Bool { false }

        func publishState(
            _ state: some FieldValue, encoded: [UInt8], on channel: Core.Channel, of camera: String
        ) {
            bytes += encoded.count
        }
        func publishEvent(_ event: Event, encoded: [UInt8], of camera: String) { bytes += encoded.count }
        func publishSample(
            _ sample: [UInt8], on channel: Core.Channel, of camera: String
        ) -> Bool {
            bytes += sample.count
            return true
        }
        func publishFrame(_ frame: [UInt8], _ fields: FrameFields, of camera: String) -> Bool { false }
        func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String) {}
        func withdrawPictures(of camera: String) {}
        func send(_ reply: [UInt8]) { bytes += reply.count }
        func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {}
        func send(part: [UInt8], _ fields: MediaPartFields, id: String?) {}
        func observe(_ change: CameraChange, in camera: String) {}
        func save(
            _ state: SavedCamera, of camera: String, stored: @escaping (CommandError?) -> Void,
            synced: @escaping () -> Void
        ) {
            stored(nil)
        }
    }

    /// A camera without a lens, a second between two messages.
    private struct Rig {
        let clock = ManualClock()
        let loop: EventLoop
        let output = CountingFrontEnd()
        let source = ScriptedSource()
        let camera: Camera

        init() {
            let clock = clock
            loop = EventLoop(clock: clock)
            camera = Camera(
                CameraSettings(), of: AgentSettings(), boot: 1, source: source,
                media: ScriptedMedia(on: loop).services, frontEnd: output, observer: output,
                storage: output, saved: SavedCamera(), on: loop,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                wallClock: ManualWallClock(CameraBench.epoch, on: loop))
            camera.start()
            source.attach(ScriptedCamera(on: loop))
        }

        /// The fewest allocations of some turns: the runtime now and then allocates something for itself.
        func fewest(_ node: Node, _ payload: (Int) -> String) throws -> Int {
            var counts: [Int] = []
            for number in 0..<50 {
                clock.advance(by: .milliseconds(100))
                loop.runOnce(timeout: .zero)
                let command = Command(for: node, payload: [UInt8](payload(number).utf8))
                let request = Request(
                    camera: camera.id, node: node, envelope: command.envelope,
                    command: try command.body.get(), address: output)
                let before = allocations_of_this_thread()
                camera.handle(request)
                counts.append(allocations_of_this_thread() - before)
            }
            return counts.suffix(30).min() ?? 0
        }
    }

    /// Of the release configuration; the debug configuration allocates more.
    private func check(_ count: Int, _ name: String, atMost limit: Int) {
        print("\(name): \(count) allocations")
        #if !DEBUG
            #expect(count <= limit, "\(name)")
        #endif
    }

    @Test func aZoom() throws {
        let rig = Rig()
        let count = try rig.fewest(.zoom) {
            #"{"factor": \#($0 % 2 + 2), "id": "\#($0)", "client": "phone"}"#
        }
        #expect(rig.output.bytes > 0)
        check(count, "zoom/set with its state and its answer", atMost: 14)
    }

    @Test func aSampleOfAPinch() throws {
        let rig = Rig()
        let count = try rig.fewest(.pinch) {
            #"{"gesture": "g", "phase": "changed", "scale": \#(1 + Double($0 % 5) / 10), "seq": \#($0)}"#
        }
        #expect(rig.output.bytes > 0)
        check(count, "a sample of a pinch with its states", atMost: 16)
    }
}
