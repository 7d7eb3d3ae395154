import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// When the state of a camera is stored, and what waits for that.
struct StateSavingTests {
    let bench = CameraBench()

    init() {
        bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(3))
    }

    private static let full = CommandError(.storageFull, "The disk is full.")

    /// Commands that change the saved state without a wait.
    static let commands: [(Node, String)] = [
        (.zoom, #"{"factor": 2}"#), (.controls, #"{"brightness": 7}"#), (.session, "32x18"),
        (.viewport, #"{"by": {"dx": 0.1}}"#), (.pinch, #"{"gesture": "g", "phase": "began", "scale": 2}"#),
        (.touch, #"{"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}"#),
    ]

    @Test(arguments: commands) func aFinalAnswerWaitsForTheDiskAndTheStateDoesNot(node: Node, command: String)
    {
        bench.outcome(of: .zoom, #"{"factor": 3}"#)
        bench.storage.isHeld = true
        let before = bench.frontEnd.messages.count
        let reply = bench.send(node, command)
        bench.advance(by: .seconds(1))
        #expect(reply.final == nil && bench.frontEnd.messages.count > before)
        bench.storage.complete()
        #expect(reply.final?.status == .done && reply.lastMessage["persisted"] == .null)
    }

    @Test func anAnswerWaitsForTheChangesOfEarlierRequests() {
        bench.storage.isHeld = true
        let first = bench.send(.controls, #"{"brightness": 7}"#)
        // It changes nothing, but confirms what the first one has changed.
        let second = bench.send(.controls, #"{"brightness": 7}"#)
        #expect(first.final == nil && second.final == nil)
        bench.storage.complete()
        #expect(first.final?.status == .done && second.final?.status == .done)
    }

    @Test func acceptedIsSentBeforeTheDiskHasAnything() {
        bench.storage.isHeld = true
        let ramp = bench.send(.zoom, #"{"factor": 4, "rate": 1}"#)
        #expect(ramp.statuses == [.accepted])
        bench.advance(by: .seconds(10))
        #expect(ramp.statuses == [.accepted] && bench.state(.zoom)["factor"] == 4)
        bench.storage.complete()
        #expect(ramp.statuses == [.accepted, .done])
    }

    @Test(arguments: commands) func aChangeThatIsNotStoredIsMadeAndTheAnswerSaysSo(
        node: Node, command: String
    ) {
        bench.storage.error = Self.full
        let reply = bench.send(node, command)
        #expect(reply.final?.status == .done && reply.lastMessage["persisted"] == false)
        bench.storage.error = nil
        #expect(bench.outcome(of: .controls, #"{"brightness": 8}"#).lastMessage["persisted"] == .null)
    }

    @Test func whatNeedsNoDiskIsAnsweredWithoutIt() {
        bench.storage.error = Self.full
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(bench.send(.lease, #"{"client": "a"}"#).lastMessage["persisted"] == .null)
    }

    @Test func ofTwoPresetsThatAreNotStoredNothingRemains() {
        bench.storage.isHeld = true
        let first = bench.send(.presets, #"{"save": "a"}"#)
        bench.send(.zoom, #"{"factor": 2}"#)
        let second = bench.send(.presets, #"{"save": "a"}"#)
        bench.storage.error = Self.full
        bench.storage.complete()
        #expect(first.final?.status == .error && second.final?.status == .error)
        #expect(bench.state(.presets)["presets"]["a"] == .null)
    }

    /// The storage stores by itself what it could not store before.
    @Test func anAnswerThatChangesNothingAsksTheDiskAgain() {
        bench.storage.error = Self.full
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        bench.storage.error = nil
        let reply = bench.send(.pinch, #"{"gesture": "over", "phase": "ended"}"#)
        #expect(reply.final?.status == .done && reply.lastMessage["persisted"] == .null)
    }

    @Test func aPresetThatIsNotStoredIsRefused() {
        bench.outcome(of: .presets, #"{"save": "a"}"#)
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        let presets = bench.state(.presets)["presets"]
        bench.storage.error = Self.full
        for command in [#"{"save": "b"}"#, #"{"save": "a"}"#, #"{"delete": "a"}"#] {
            #expect(bench.send(.presets, command).refusal == Refusal(.storageFull))
            #expect(bench.state(.presets)["presets"] == presets)
        }
        bench.storage.error = nil
        #expect(bench.outcome(of: .presets, #"{"delete": "a"}"#).statuses == [.done])
        #expect(bench.state(.presets)["presets"] == [:] && bench.saved.presets.isEmpty)
    }

    @Test func aVersionThatCannotBeStoredIsRefusedAndChangesNothing() {
        bench.storage.error = Self.full
        let command = #"{"version": 4, "zoom": {"factor": 3}, "controls": {"brightness": 9}}"#
        #expect(bench.send(.desired, command).refusal == Refusal(.storageFull))
        #expect(bench.state(.zoom)["factor"] == 1 && bench.state(.controls)["values"]["brightness"] != 9)
        bench.storage.error = nil
        #expect(bench.outcome(of: .desired, command).statuses.last == .done)
        #expect(bench.saved.desired?.version == 4 && bench.saved.applyingVersion == nil)
    }

    @Test func aVersionThatWaitsForTheDiskGivesWayToANewerOne() {
        bench.storage.isHeld = true
        let first = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 1}}"#)
        let second = bench.send(.desired, #"{"version": 2, "controls": {"brightness": 2}}"#)
        bench.storage.complete()
        bench.storage.isHeld = false
        bench.advance(by: .seconds(1))
        #expect(first.statuses == [.superseded] && second.final?.status == .done)
        #expect(bench.state(.controls)["values"]["brightness"] == 2)
    }

    @Test func samplesOfAGestureAreStoredEveryTwoSecondsAndAtItsEnd() {
        bench.send(.pinch, #"{"gesture": "g", "phase": "began"}"#)
        let saves = bench.storage.saves
        for number in 1...600 {
            bench.send(
                .pinch, "{\"gesture\": \"g\", \"phase\": \"changed\", \"scale\": \(1 + Double(number) / 600)}"
            )
            bench.advance(by: .milliseconds(100) / 6)
        }
        #expect(bench.storage.saves - saves == 4)
        bench.send(.pinch, #"{"gesture": "g", "phase": "ended", "scale": 1.5}"#)
        #expect(bench.saved.factor == bench.state(.zoom)["factor"].number)
    }

    @Test func aRampIsStoredEveryTwoSecondsAndAtItsEnd() {
        let saves = bench.storage.saves
        let ramp = bench.send(.zoom, #"{"factor": 8, "rate": 0.5}"#)
        bench.advance(by: .milliseconds(5_990))
        #expect(bench.storage.saves - saves == 2 && ramp.final == nil)
        bench.advance(by: .seconds(1))
        #expect(ramp.final?.status == .done && bench.saved.factor == 8)
    }

    @Test func aTurnOfTheLensByHandIsStoredWithoutADelay() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(3))
        device.report(.moved(optical: 3, moving: false))
        #expect(bench.saved.factor == 3)
    }

    @Test func theNumberOfAPhotoThatTheStopInterruptsIsUsed() {
        #expect(bench.outcome(of: .capture, "{}").statuses.last == .done)
        bench.media.held = [.store]
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(1))
        #expect(bench.savedAtStop.numbers.photo == 2)
    }

    /// Numbers that the disk doesn't know could be given out again after a crash.
    @Test func withoutADiskFileNumbersAreUsedUp() {
        bench.storage.error = Self.full
        var done = 0
        while bench.outcome(of: .capture, "{}").final?.status == .done, done < 1_000 { done += 1 }
        #expect(done == 200)
        #expect(bench.outcome(of: .capture, "{}").refusal == Refusal(.storageFull))
        #expect(bench.outcome(of: .recording, "ON").refusal == nil, "its numbers are its own")
        bench.storage.error = nil
        bench.outcome(of: .controls, #"{"brightness": 9}"#)
        #expect(bench.outcome(of: .capture, "{}").final?.status == .done)
    }

    /// The system has the numbers of the photos, but a power cut would bring back those before.
    @Test func numbersThatAPowerCutWouldBringBackAreNotUsed() {
        bench.storage.isSyncHeld = true
        var done = 0
        while bench.outcome(of: .capture, "{}").final?.status == .done, done < 1_000 { done += 1 }
        #expect(done == 200)
        #expect(bench.outcome(of: .capture, "{}").refusal == Refusal(.storageFull))
        bench.storage.isSyncHeld = false
        bench.storage.complete()
        #expect(bench.outcome(of: .capture, "{}").final?.status == .done)
    }

    /// The last change of the camera is synced later than its answer: nothing else may be needed.
    @Test func numbersGoOnAfterASyncThatFailed() {
        bench.storage.isSyncHeld = true
        while bench.outcome(of: .capture, "{}").final?.status == .done {}
        bench.storage.syncError = Self.full
        bench.storage.complete()
        #expect(bench.outcome(of: .capture, "{}").refusal == Refusal(.storageFull))
        (bench.storage.syncError, bench.storage.isSyncHeld) = (nil, false)
        bench.outcome(of: .controls, #"{"brightness": 9}"#)
        #expect(bench.outcome(of: .capture, "{}").final?.status == .done)
    }

    /// A million changes that the disk doesn't take: the last number is repeated, instead of one that a crash
    /// would repeat.
    @Test func noRevisionIsFurtherAboveTheDiskThanACrashSkips() {
        var saved = SavedCamera()
        saved.numbers.rev = 70
        let bench = CameraBench(saved: saved)
        bench.attach()
        bench.storage.isSyncHeld = true
        for _ in 0..<CameraNumbers.skippedRevisions { bench.camera.context.stamp() }
        let last = bench.camera.context.rev
        bench.camera.context.stamp()
        #expect(bench.camera.context.rev == last && last <= bench.saved.numbers.rev + 1_000_000)
        bench.storage.isSyncHeld = false
        bench.outcome(of: .controls, #"{"brightness": 9}"#)
        bench.outcome(of: .controls, #"{"brightness": 10}"#)
        #expect(bench.camera.context.rev > last)
    }

    // MARK: A disk that hangs

    @Test func aDiskThatHangsHoldsBackALimitedNumberOfAnswers() {
        bench.storage.isHeld = true
        for value in 1...WaitingAnswers.max {
            bench.send(.controls, #"{"brightness": \#(value % 250)}"#)
        }
        #expect(bench.requests.suffix(WaitingAnswers.max).allSatisfy { $0.final == nil })
        let further = bench.send(.controls, #"{"brightness": 251}"#)
        #expect(further.final?.status == .done && further.lastMessage["persisted"] == false)
        let preset = bench.send(.presets, #"{"save": "a"}"#)
        #expect(preset.refusal == Refusal(.storageFull) && bench.state(.presets)["presets"] == [:])
        let version = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 1}}"#)
        #expect(version.refusal == Refusal(.storageFull))
        // What changes nothing that is stored is answered as usual.
        #expect(bench.send(.lease, #"{"client": "a"}"#).lastMessage["persisted"] == .null)
        bench.storage.complete()
        #expect(
            bench.requests.dropLast(4).allSatisfy {
                $0.final?.status == .done && $0.lastMessage["persisted"] == .null
            })
        #expect(further.statuses == [.done] && bench.saved.controls["brightness"] == .number(251))
        bench.storage.isHeld = false
        #expect(bench.outcome(of: .controls, #"{"brightness": 1}"#).lastMessage["persisted"] == .null)
    }

    @Test func aDiskThatHangsGetsTheNewestStateOnly() {
        let saves = bench.storage.saves
        bench.storage.isHeld = true
        for value in 1...100 { bench.send(.controls, #"{"brightness": \#(value)}"#) }
        #expect(bench.storage.saves - saves == 1)
        let last = bench.requests.last
        bench.storage.complete()
        #expect(bench.storage.saves - saves == 2)
        #expect(bench.saved.controls["brightness"] == .number(100) && last?.final?.status == .done)
    }

    /// The state that waits for an earlier one is stored at last.
    @Test func aStopSubmitsTheNewestState() {
        bench.storage.isHeld = true
        for value in 1...100 { bench.send(.controls, #"{"brightness": \#(value)}"#) }
        bench.stop()
        bench.camera.abandonSaves()
        #expect(bench.requests.last?.final?.status == .done)
        bench.storage.complete()
        #expect(bench.saved.controls["brightness"] == .number(100))
    }

    /// What an answer says is undone isn't restored after a crash.
    @Test func anUndoneSessionIsStoredAsUndone() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        let before = bench.saved
        device.failures[.lens] = .device("Input/output error")
        let reply = bench.outcome(
            of: .session, #"{"quality": "32x18", "controls": {"brightness": 9}, "zoom": {"factor": 3}}"#)
        #expect(reply.final?.status == .error)
        #expect(bench.saved.controls == before.controls && bench.saved.session == before.session)
    }

    @Test func aStopDoesNotWaitForADiskThatHangs() {
        bench.storage.isHeld = true
        let reply = bench.send(.controls, #"{"brightness": 7}"#)
        bench.stop()
        #expect(reply.final == nil)
        bench.camera.abandonSaves()
        #expect(reply.final?.status == .done && reply.lastMessage["persisted"] == false)
        bench.storage.complete()
        #expect(reply.statuses == [.done])
    }
}
