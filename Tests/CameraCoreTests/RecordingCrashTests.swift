import Core
import TestSupport
import Testing

@testable import Contract

/// What a run reports of the recordings of earlier runs: the last one, and those that a crash cut off.
struct RecordingCrashTests {
    /// The saved state that a crash leaves during a recording.
    private func crashedDuringRecording(saved: SavedCamera = SavedCamera(), boot: Int = 1) -> SavedCamera {
        let bench = CameraBench(boot: boot, saved: saved)
        bench.attach()
        bench.startRecording(#"{"on": true, "codec": "h264"}"#)
        return bench.saved
    }

    private func found(_ path: String, frames: Int = 45) -> RecordingOutcome {
        var outcome = RecordingOutcome()
        (outcome.path, outcome.bytes, outcome.frames) = (path, 1_000 * frames, frames)
        outcome.duration = .seconds(frames) / 30
        return outcome
    }

    // MARK: The last recording

    @Test func theLastRecordingIsThereAfterAStopAndAfterACrash() {
        let bench = CameraBench()
        bench.attach()
        bench.startRecording()
        bench.advance(by: .seconds(1))
        let last = bench.stopRecording()
        for saved in [bench.saved, bench.savedAtStop] {
            #expect(saved.unfinishedRecordings.isEmpty)
            let next = CameraBench(boot: 2, saved: saved)
            next.attach()
            #expect(last["path"] != nil && next.state(.recording)["last"] == last)
            #expect(next.events(.recordingFinished).isEmpty && next.media.inspected.isEmpty)
        }
    }

    @Test func aRecordingWithoutAFileDoesNotReplaceTheSavedOne() {
        let bench = CameraBench()
        bench.attach()
        bench.startRecording()
        let last = bench.stopRecording()
        bench.media.failures = [.recordingFrame: CommandError(.device, "It failed.")]
        bench.send(.recording, "ON")
        bench.turn()
        #expect(bench.state(.recording)["last"]["reason"] == "failed")
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.state(.recording)["last"] == last)
    }

    // MARK: Crashes

    @Test func aRecordingIsUnfinishedFromItsFirstFrameToItsEnd() {
        let bench = CameraBench()
        bench.attach()
        bench.media.held = [.recordingFrame, .recordingEnd]
        bench.send(.recording, "ON")
        bench.turn()
        #expect(bench.saved.recordingNumber == 1 && bench.saved.unfinishedRecordings.isEmpty)
        bench.media.release(.recordingFrame)
        #expect(bench.saved.unfinishedRecordings.map(\.path) == ["recordings/camera-1.mp4"])
        bench.send(.recording, "OFF")
        bench.turn()
        #expect(bench.state(.recording)["state"] == "finishing")
        #expect(bench.saved.unfinishedRecordings.count == 1)
        bench.media.release(.recordingEnd)
        #expect(bench.saved.unfinishedRecordings.isEmpty && bench.saved.lastRecording?.reason == .stopped)
    }

    @Test func aRecordingThatACrashCutOffIsReportedOnce() {
        let saved = crashedDuringRecording()
        let next = CameraBench(boot: 2, saved: saved)
        next.media.interruptedFiles = ["recordings/camera-1.mp4": found("recordings/camera-1.mp4")]
        // There is no device yet.
        next.turn()
        let event = next.eventMessages("recording_finished").last ?? .null
        let recording = event["recording"]
        #expect(recording["reason"] == "crash" && recording["path"] == "recordings/camera-1.mp4")
        #expect(recording["bytes"] == 45_000 && recording["frames"] == 45 && recording["duration_s"] == 1.5)
        #expect(recording["codec"] == "h264" && recording["lost"] == 0 && recording["error"] == nil)
        #expect(recording["started_at"] == CameraBench.timestamp(at: .zero))
        #expect(event["boot"] == 2 && event["client"] == nil)
        #expect(next.state(.recording)["last"] == recording && next.state(.recording)["state"] == "idle")
        #expect(next.saved.unfinishedRecordings.isEmpty && next.saved.lastRecording?.reason == .crash)
        #expect(next.eventMessages("recording_finished").count == 1)

        let third = CameraBench(boot: 3, saved: next.saved)
        third.attach()
        #expect(third.state(.recording)["last"] == recording)
        #expect(third.media.inspected.isEmpty && third.events(.recordingFinished).isEmpty)
    }

    @Test func aFileThatIsGoneIsNotReported() {
        let next = CameraBench(boot: 2, saved: crashedDuringRecording())
        next.attach()
        next.turn()
        #expect(next.media.inspected == ["recordings/camera-1.mp4"])
        #expect(next.events(.recordingFinished).isEmpty && next.state(.recording)["last"] == nil)
        #expect(next.saved.unfinishedRecordings.isEmpty && next.saved.lastRecording == nil)
    }

    @Test func aFileWithoutAFrameIsReportedWithoutAPath() {
        let next = CameraBench(boot: 2, saved: crashedDuringRecording())
        next.media.interruptedFiles = ["recordings/camera-1.mp4": RecordingOutcome()]
        next.turn()
        let recording = next.eventMessages("recording_finished").last?["recording"] ?? .null
        #expect(recording["reason"] == "crash" && recording["path"] == nil && recording["bytes"] == 0)
        #expect(next.saved.unfinishedRecordings.isEmpty && next.saved.lastRecording == nil)
    }

    @Test func aFileThatCantBeReadIsReportedWithItsError() {
        let next = CameraBench(boot: 2, saved: crashedDuringRecording())
        var outcome = found("recordings/camera-1.mp4", frames: 0)
        outcome.error = CommandError(.device, "It can't be read.")
        next.media.interruptedFiles = ["recordings/camera-1.mp4": outcome]
        next.turn()
        let recording = next.eventMessages("recording_finished").last?["recording"] ?? .null
        #expect(recording["reason"] == "crash" && recording["path"] == "recordings/camera-1.mp4")
        #expect(recording["error"]["code"] == "device")
    }

    @Test func aCrashBeforeTheReportLeavesItToTheNextRun() {
        let saved = crashedDuringRecording()
        let second = CameraBench(boot: 2, saved: saved)
        second.attach()
        second.media.held = [.inspection]
        second.turn()
        second.send(.zoom, #"{"factor": 2}"#)
        second.turn()
        #expect(second.saved.unfinishedRecordings == saved.unfinishedRecordings)
        #expect(second.events(.recordingFinished).isEmpty)
        // A stop leaves it as well.
        let third = CameraBench(boot: 3, saved: second.savedAtStop)
        third.media.interruptedFiles = ["recordings/camera-1.mp4": found("recordings/camera-1.mp4")]
        third.turn()
        #expect(third.eventMessages("recording_finished").map { $0["recording"]["reason"] } == ["crash"])
    }

    @Test func withoutAThreadItIsLeftToTheNextRun() {
        let saved = crashedDuringRecording()
        let next = CameraBench(
            boot: 2, saved: saved, beginFailure: CommandError(.device, "No further thread."))
        next.attach()
        next.turn()
        #expect(next.media.inspected.isEmpty && next.events(.recordingFinished).isEmpty)
        #expect(next.savedAtStop.unfinishedRecordings == saved.unfinishedRecordings)
    }

    @Test func aRecordingThatBeginsMeanwhileIsNotLostWithIt() {
        let saved = crashedDuringRecording()
        let second = CameraBench(boot: 2, saved: saved)
        second.attach()
        second.media.held = [.inspection]
        let path = second.startRecording()["path"]
        let both = second.saved.unfinishedRecordings
        #expect(both.count == 2 && both.first == saved.unfinishedRecordings.first)

        // It ends before the report: it stays the last one.
        second.stopRecording()
        #expect(second.saved.unfinishedRecordings == saved.unfinishedRecordings)
        second.media.interruptedFiles = ["recordings/camera-1.mp4": found("recordings/camera-1.mp4")]
        second.media.release(.inspection)
        second.turn()
        let reasons = second.eventMessages("recording_finished").map { $0["recording"]["reason"] }
        #expect(reasons == ["stopped", "crash"])
        #expect(second.state(.recording)["last"]["path"] == path)
        #expect(second.saved.lastRecording?.reason == .stopped && second.saved.unfinishedRecordings.isEmpty)
    }

    @Test func twoThatWereCutOffAreReportedInOrder() {
        let first = crashedDuringRecording()
        let second = CameraBench(boot: 2, saved: first)
        second.attach()
        second.media.held = [.inspection]
        second.startRecording()
        let paths = second.saved.unfinishedRecordings.compactMap(\.path)
        #expect(paths.count == 2)
        let third = CameraBench(boot: 3, saved: second.saved)
        third.attach()
        for path in paths { third.media.interruptedFiles[path] = found(path) }
        third.advance(by: .seconds(1))
        let reported = third.eventMessages("recording_finished").map { $0["recording"]["path"] }
        #expect(reported == paths.map { .text($0) })
        #expect(third.state(.recording)["last"]["path"] == .text(paths[1]))
        #expect(third.saved.unfinishedRecordings.isEmpty)
    }
}
