import Core
import TestSupport
import Testing

@testable import Contract

/// Recordings that go on in another file.
struct ContinuedRecordingTests {
    let bench = CameraBench()

    init() { bench.attach() }

    private var recording: ScriptedRecording? { bench.media.recordings.last }

    @Test func eachFileHasItsFramesAndTheFilesBeforeIt() {
        bench.startRecording()
        bench.advance(by: .seconds(1))
        let path = bench.state(.recording)["path"]
        recording?.goOn(because: .zoom)
        let first = bench.eventMessages("recording_finished").last?["recording"] ?? .null
        #expect(first["reason"] == "continued" && first["cause"] == "zoom" && first["path"] == path)
        #expect(first["lost"] == 0 && first["earlier"] == nil)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["earlier"] == [path] && bench.state(.recording)["path"] != path)
        let last = bench.stopRecording()
        #expect(last["reason"] == "stopped" && last["lost"] == 0 && last["earlier"] == [path])
    }

    /// Its frames are lost, but not those of the files before it.
    @Test func aNextFileWithoutFramesNamesTheFilesBeforeIt() {
        bench.startRecording()
        bench.advance(by: .seconds(2))
        let path = bench.state(.recording)["path"]
        recording?.goOn(because: .zoom)
        bench.media.framesAreDamaged = true
        bench.advance(by: .milliseconds(500))
        let last = bench.stopRecording()
        #expect(last["path"] == nil && last["frames"] == 0 && last["earlier"] == [path])
        #expect((10...20).contains(last["lost"].number ?? 0))
    }
}
