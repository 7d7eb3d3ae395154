import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// From a device that is found to a camera that is announced: session, controls, zoom.
struct RestorationTests {
    /// The state of a run that had something of each kind to restore.
    private static let saved: SavedCamera = {
        var saved = SavedCamera()
        (saved.factor, saved.centerX, saved.centerY) = (8, 0.45, 0.55)
        saved.controls = ["brightness": .number(90), "color": .number(2)]
        saved.session = SavedSession(quality: "32x18", rate: 15)
        saved.numbers.rev = 500
        return saved
    }()

    let bench = CameraBench(boot: 2, saved: saved)

    /// Attaches a device that holds operations from the beginning.
    private func attach(holding held: Set<ScriptedCamera.Operation>) -> ScriptedCamera {
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        device.held = held
        bench.source.attach(device)
        return device
    }

    private var availabilities: [JSONValue] {
        bench.frontEnd.states(on: .availability).map { $0["state"] }
    }

    @Test func itIsAnnouncedWhenAllIsRestored() {
        let device = attach(holding: [.mode, .controls, .lens])
        #expect(device.calls.map(\.operation) == [.mode] && bench.camera.presence == .arriving)
        device.release(.mode)
        device.release(.controls)
        #expect(device.calls.map(\.operation) == [.mode, .controls, .controls])
        #expect(bench.frontEnd.states(on: .node(.zoom)).isEmpty && availabilities.isEmpty)
        device.release(.controls)
        #expect(bench.camera.presence == .restoring && availabilities.isEmpty)
        #expect(device.calls.last == .driveLens(4))
        device.release(.lens)
        #expect(bench.camera.presence == .ready && availabilities == ["online"])
        #expect(bench.state(.zoom)["factor"] == 8 && bench.state(.session)["width"] == 32)
        let center = middle(of: bench.state(.zoom))
        #expect(isNear(center.x, 0.45) && isNear(center.y, 0.55))
        #expect(bench.state(.controls)["values"]["color"] == 2)
    }

    @Test func revGoesOnAboveThatOfTheRunBefore() {
        _ = attach(holding: [])
        #expect((bench.state(.zoom)["rev"].number ?? 0) > 500)
        #expect(bench.savedAtStop.numbers.rev == bench.camera.context.rev)
    }

    @Test func commandsAreRefusedWhileTheControlsAreRestoredAndAdmittedWhileTheZoomIs() {
        let device = attach(holding: [.mode, .lens])
        let early = bench.send(.zoom, #"{"factor": 2}"#)
        #expect(early.refusal == Refusal(.unavailable))
        #expect(early.error?.message == "The camera isn't ready yet.")
        device.release(.mode)
        let admitted = bench.send(.controls, #"{"brightness": 5}"#)
        #expect(admitted.statuses == [.done])
        #expect(bench.camera.presence == .restoring)
    }

    @Test func aCommandThatMovesTheZoomTakesThePlaceOfItsRestoration() {
        let device = attach(holding: [.lens])
        let reply = bench.send(.zoom, #"{"factor": 2}"#)
        while device.release(.lens) {}
        bench.advance(by: .seconds(1))
        #expect(reply.final?.status == .done && bench.state(.zoom)["factor"] == 2)
        #expect(availabilities == ["online"] && bench.saved.factor == 2)
    }

    // MARK: Slow devices

    @Test(arguments: [ScriptedCamera.Operation.mode, .controls])
    func aDeviceThatHangsIsAnnouncedAfterFiveSeconds(at step: ScriptedCamera.Operation) {
        let device = attach(holding: [step])
        bench.advance(by: .milliseconds(4_990))
        #expect(availabilities.isEmpty)
        bench.advance(by: .milliseconds(20))
        #expect(availabilities == ["online"] && bench.state(.zoom)["factor"] == 8)
        // What comes later changes nothing but what it is about.
        while device.release(step) {}
        bench.advance(by: .seconds(20))
        #expect(availabilities == ["online"] && bench.state(.zoom)["factor"] == 8)
        #expect(bench.saved.controls == Self.saved.controls)
        #expect(bench.saved.session == Self.saved.session)
    }

    @Test func aLensThatHangsIsAnnouncedAfterFiveSecondsMore() {
        let device = attach(holding: [.mode, .lens])
        bench.advance(by: .milliseconds(9_990))
        #expect(availabilities.isEmpty && bench.camera.presence == .restoring)
        bench.advance(by: .milliseconds(20))
        #expect(availabilities == ["online"])
        // A position on the way isn't saved.
        bench.advance(by: .seconds(3))
        #expect(bench.saved.factor == 8)
        device.release(.mode)
        device.release(.lens)
        #expect(bench.savedAtStop.factor == 8)
    }

    @Test func aLensThatRefusesKeepsTheSavedZoom() {
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        device.failures[.lens] = .device("Input/output error")
        bench.source.attach(device)
        #expect(availabilities == ["online"] && bench.state(.zoom)["factor"] != 8)
        bench.advance(by: .seconds(3))
        #expect(bench.saved.factor == 8)
        device.failures = [:]
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(bench.savedAtStop.factor == 2, "a command decides anew what is saved")
    }

    @Test func controlsThatFailDontDelayTheRest() {
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        device.failures = [.controls: .device("a"), .mode: .device("b")]
        bench.source.attach(device)
        #expect(availabilities == ["online"] && bench.state(.zoom)["factor"] == 8)
        #expect(bench.state(.session)["width"] == 64 && bench.saved.session == Self.saved.session)
        #expect(bench.saved.controls == Self.saved.controls)
    }

    // MARK: Devices that go

    @Test(arguments: [ScriptedCamera.Operation.mode, .controls, .lens])
    func aDeviceThatGoesDuringItIsRestoredAnewWhenItComesBack(at step: ScriptedCamera.Operation) {
        let device = attach(holding: [step])
        device.unplug()
        bench.advance(by: .seconds(20))
        #expect(availabilities == ["offline"] && bench.camera.presence == .absent(.unplugged))
        #expect(bench.saved.factor == 8 && bench.saved.controls == Self.saved.controls)
        bench.attach(opticalMax: 4)
        #expect(availabilities == ["offline", "online"] && bench.state(.zoom)["factor"] == 8)
        #expect(bench.state(.session)["width"] == 32)
        bench.advance(by: .seconds(20))
        #expect(availabilities.count == 2, "no timeout of the first device is left")
    }

    @Test(arguments: [ScriptedCamera.Operation.mode, .controls, .lens])
    func aDesiredStateIsNotTriedOnADeviceThatGoesDuringIt(at step: ScriptedCamera.Operation) {
        let reply = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 7}}"#)
        #expect(reply.statuses == [.accepted])
        attach(holding: [step]).unplug()
        #expect(reply.statuses == [.accepted] && bench.state(.desired)["outcome"] == "applying")
        bench.attach(opticalMax: 4)
        #expect(reply.statuses == [.accepted, .done] && bench.state(.desired)["outcome"] == "applied")
        #expect(bench.state(.controls)["values"]["brightness"] == 7)
    }

    @Test func aDeviceThatIsReplacedDuringItDoesNotDisturbTheNextOne() {
        let first = attach(holding: [.controls])
        let second = attach(holding: [.controls])
        #expect(first.isClosed && second.pendingCalls(of: .controls) == 1)
        while second.release(.controls) {}
        bench.advance(by: .seconds(20))
        #expect(availabilities == ["offline", "online"])
        #expect(bench.frontEnd.states(on: .availability)[0]["reason"] == "replaced")
    }

    @Test func theZoomIsRestoredAfterAReplug() {
        let device = attach(holding: [])
        bench.outcome(of: .zoom, #"{"factor": 6}"#)
        let viewport = bench.state(.zoom)["viewport"]
        device.unplug()
        bench.attach(opticalMax: 4)
        #expect(bench.state(.zoom)["factor"] == 6 && bench.state(.zoom)["viewport"] == viewport)
        // Nothing has changed since the command.
        #expect(bench.state(.zoom)["origin"]["kind"] == "command")
    }
}

extension ScriptedCamera.Call {
    /// What the call requests; nil: the end.
    fileprivate var operation: ScriptedCamera.Operation? {
        switch self {
        case .driveLens: .lens
        case .stopLens: .stop
        case .setControls: .controls
        case .setMode: .mode
        case .frame: .frame
        case .close: nil
        }
    }
}
