import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The virtual camera, in virtual time.
@Suite struct OutputTests {
    private let bench: CameraBench

    init() { bench = Self.bench() }

    private static func bench(
        rate: Double = 10, whenRead: Bool = false, saved: SavedCamera = SavedCamera()
    ) -> CameraBench {
        var settings = CameraSettings(id: "door")
        settings.output = OutputSettings(
            path: "/dev/video9", width: 320, height: 180, rate: rate, isOnlyWhenRead: whenRead)
        return CameraBench(settings, saved: saved)
    }

    private func state(_ bench: CameraBench? = nil) -> JSONValue {
        (bench ?? self.bench).frontEnd.state(on: .output)
    }

    private var output: ScriptedOutput { get throws { try #require(bench.media.outputs.last) } }

    private func kinds(_ output: ScriptedOutput) -> [String] { output.pictures.map(Self.kind) }

    private static func kind(_ picture: OutputPicture) -> String {
        switch picture {
        case .frame: "frame"
        case .again: "again"
        case .black: "black"
        case .nothing: "nothing"
        }
    }

    @Test func withoutADeviceOfTheCameraItIsBlackAtItsRate() throws {
        bench.advance(by: .milliseconds(2_020))
        #expect(try output.path == "/dev/video9")
        let kinds = try kinds(output)
        #expect(kinds.first == "black" && kinds.dropFirst().allSatisfy { $0 == "again" })
        #expect((19...21).contains(kinds.count), "\(kinds.count)")
        #expect(state()["state"] == "running" && state()["shows"] == "black")
        #expect(state()["width"] == 320 && state()["pixel_format"] == "YUYV" && state()["fps"] == 10)
    }

    @Test(arguments: [5.0, 10, 30, 60]) func theRateIsItsOwn(rate: Double) throws {
        let bench = Self.bench(rate: rate)
        bench.attach()
        bench.advance(by: .seconds(1))
        let output = try #require(bench.media.outputs.last)
        let before = output.pictures.count
        bench.advance(by: .seconds(10))
        let count = output.pictures.count - before
        #expect(abs(Double(count) - 10 * rate) <= 2, "\(count) pictures")
        let frames = output.pictures.count { Self.kind($0) == "frame" }
        // The camera gives 30 frames a second, each of which is new once.
        #expect(Double(frames) <= 11 * min(rate, 30) + 3)
        #expect(Double(frames) >= 9.5 * min(rate, 30))
    }

    @Test func whatIsShownIsWhatIsInView() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.send(.zoom, #"{"factor": 4}"#)
        bench.advance(by: .seconds(1))
        guard case .frame(_, let view, _)? = try output.pictures.last(where: { Self.kind($0) == "frame" })
        else {
            Issue.record("no frame")
            return
        }
        #expect(abs(view.width - 0.25) < 0.001 && abs(view.x - 0.375) < 0.001)
        #expect(state()["shows"] == "camera")
    }

    @Test func aCameraThatIsUnpluggedLeavesABlackPicture() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.source.detach(.unplugged)
        bench.advance(by: .milliseconds(500))
        let after = try kinds(output).split(separator: "black").last ?? []
        #expect(!after.isEmpty && after.allSatisfy { $0 == "again" })
        #expect(state()["shows"] == "black" && state()["state"] == "running")
    }

    @Test func framesThatStopEndInABlackPicture() throws {
        let device = bench.attach()
        bench.advance(by: .seconds(1))
        device.failures[.frame] = .device("no frames")
        bench.advance(by: .seconds(4))
        #expect(state()["shows"] == "camera")
        bench.advance(by: .seconds(2))
        #expect(state()["shows"] == "black")
    }

    @Test func damagedFramesEndInABlackPicture() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.media.framesAreDamaged = true
        bench.advance(by: .seconds(4))
        #expect(state()["shows"] == "camera")
        bench.advance(by: .seconds(3))
        #expect(try kinds(output).contains("black"))
    }

    @Test func privacyWaitsForABlackPicture() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.media.held = [.output]
        bench.advance(by: .seconds(1))
        let reply = bench.send(.privacy, "ON")
        bench.advance(by: .seconds(1))
        #expect(try output.withdrawals >= 1)
        #expect(!reply.statuses.contains(.done))
        #expect(bench.state(.privacy)["state"] == "OFF")
        bench.media.held = []
        bench.media.release(.output)
        bench.advance(by: .milliseconds(300))
        #expect(reply.statuses.contains(.done))
        #expect(bench.state(.privacy)["state"] == "ON" && state()["shows"] == "black")
        let kinds = try kinds(output)
        let black = try #require(kinds.lastIndex(of: "black"))
        #expect(kinds[(black + 1)...].allSatisfy { $0 == "again" })
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(1))
        #expect(state()["shows"] == "camera")
    }

    @Test func privacyDoesNotWaitForADeviceThatBlocks() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.media.held = [.output]
        let reply = bench.send(.privacy, "ON")
        bench.advance(by: .seconds(10))
        #expect(reply.statuses.contains(.done) && state()["state"] == "failed")
        // When the call returns, the first picture is black.
        bench.media.held = []
        bench.media.release(.output)
        bench.advance(by: .seconds(1))
        #expect(try kinds(output).contains("black") && state()["state"] == "running")
    }

    @Test func aDeviceThatFailsIsTriedAgain() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.media.failures[.output] = CommandError(.device, "There is no device /dev/video9.")
        bench.advance(by: .seconds(1))
        #expect(state()["state"] == "failed" && state()["error"]["code"] == "device")
        #expect(state()["shows"] == .null)
        bench.media.failures[.outputOpen] = CommandError(.device, "There is no device /dev/video9.")
        bench.advance(by: .seconds(10))
        #expect(bench.media.outputs.count > 3)
        bench.media.failures = [:]
        bench.advance(by: .seconds(3))
        #expect(state()["state"] == "running" && state()["shows"] == "camera")
    }

    @Test func withoutAReaderNothingIsWritten() throws {
        let bench = Self.bench(whenRead: true)
        bench.media.outputIsRead = false
        bench.attach()
        bench.advance(by: .seconds(2))
        let output = try #require(bench.media.outputs.last)
        let count = output.pictures.count
        #expect(state(bench)["state"] == "idle" && state(bench)["read"] == false)
        bench.advance(by: .seconds(10))
        #expect(output.pictures.count == count && output.polls > 10)
        bench.media.outputIsRead = true
        bench.advance(by: .seconds(1))
        #expect(state(bench)["state"] == "running" && state(bench)["shows"] == "camera")
        bench.media.outputIsRead = false
        bench.advance(by: .seconds(1))
        #expect(state(bench)["state"] == "idle" && state(bench)["shows"] == "black")
        #expect(output.pictures.last.map(Self.kind) == "black")
    }

    @Test func aDriverThatDoesNotReportReadersIsWrittenToAlways() throws {
        let bench = Self.bench(whenRead: true)
        bench.attach()
        bench.advance(by: .seconds(2))
        #expect(state(bench)["state"] == "running" && state(bench)["read"] == .null)
        #expect(try #require(bench.media.outputs.last).pictures.count > 15)
    }

    @Test func aVirtualCameraAloneIsNoUseOfTheDevice() throws {
        let bench = Self.bench()
        bench.media.outputIsRead = true
        bench.attach()
        bench.advance(by: .seconds(20))
        #expect(state(bench)["shows"] == "camera" && !bench.source.isInUse())
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(14))
        #expect(bench.source.isInUse())
        bench.advance(by: .seconds(2))
        #expect(!bench.source.isInUse())
    }

    @Test func aDeviceThatTakesThePlaceOfAnotherIsShownAfterBlackPictures() throws {
        bench.attach()
        bench.advance(by: .seconds(1))
        let before = try output.pictures.count
        bench.attach()
        bench.advance(by: .seconds(1))
        let kinds = try kinds(output)[before...]
        #expect(kinds.contains("black") && kinds.last == "frame", "\(kinds)")
        #expect(bench.media.outputs.count == 1 && state()["shows"] == "camera")
    }

    @Test func withoutTheKeyThereIsNoState() {
        let bench = CameraBench(CameraSettings(id: "door"))
        bench.attach()
        bench.advance(by: .seconds(1))
        #expect(bench.media.outputs.isEmpty && bench.frontEnd.states(on: .output).isEmpty)
    }

    @Test func theStateOfAnEarlierRunIsReplaced() {
        var saved = SavedCamera()
        saved.hasOutput = true
        let bench = CameraBench(CameraSettings(id: "door"), saved: saved)
        bench.attach()
        bench.advance(by: .seconds(1))
        #expect(bench.frontEnd.states(on: .output) == [.null])
        #expect(bench.storage.last.hasOutput == nil)
    }
}
