import Core
import TestSupport
import Testing

@testable import Contract
@testable import Settings

/// Quality, limit of the bit rate and key-frame interval of recordings: what a command, the configuration and
/// the codec decide, and what the state says of it.
struct RecordingEncodingTests {
    private static let configured = RecordingSettings(
        encoding: RecordingEncoding(quality: 70, maximumBitRate: 4_000_000, keyFrameSeconds: 2))

    private func bench(_ settings: RecordingSettings = RecordingSettings()) -> CameraBench {
        let bench = CameraBench(recordings: settings)
        bench.attach()
        return bench
    }

    private func encoding(_ bench: CameraBench) -> RecordingEncoding? {
        bench.media.recordings.last?.options.encoding
    }

    private func fields(_ state: JSONValue) -> [JSONValue?] {
        ["quality", "max_bit_rate", "key_frame_interval_s"].map { state[$0] }
    }

    @Test func withoutAnythingTheDefaultsAreInEffect() {
        let bench = bench()
        #expect(fields(bench.frontEnd.state(on: .info)["recording"]) == [.null, .null, 1])
        #expect(fields(bench.startRecording()) == [56, .null, 1])
        #expect(encoding(bench) == RecordingEncoding())
        bench.stopRecording()
        #expect(fields(bench.state(.recording)) == [.null, .null, .null], "of an ended recording")
    }

    @Test func theConfigurationDecidesWhereACommandDoesNot() {
        let bench = bench(Self.configured)
        #expect(fields(bench.frontEnd.state(on: .info)["recording"]) == [70, 4_000_000, 2])
        #expect(fields(bench.startRecording()) == [70, 4_000_000, 2])
        #expect(encoding(bench) == Self.configured.encoding)
        bench.stopRecording()
        let state = bench.startRecording(#"{"on": true, "quality": 30, "key_frame_interval_s": 0.5}"#)
        #expect(fields(state) == [30, 4_000_000, 0.5])
        #expect(encoding(bench)?.quality == 30 && encoding(bench)?.maximumBitRate == 4_000_000)
        bench.stopRecording()
        #expect(
            fields(bench.startRecording(#"{"on": true, "max_bit_rate": 50000}"#)) == [70, 50_000, 2])
    }

    @Test func jpegsHaveAQualityOnly() {
        let bench = bench(Self.configured)
        #expect(fields(bench.startRecording(#"{"on": true, "codec": "mjpeg"}"#)) == [70, .null, .null])
        #expect(encoding(bench)?.maximumBitRate == nil)
        bench.stopRecording()
        let other = self.bench(RecordingSettings(codec: .mjpeg))
        #expect(fields(other.startRecording()) == [90, .null, .null])
    }

    @Test(arguments: [
        ("max_bit_rate", "4000000", #""mjpeg""#), ("key_frame_interval_s", "2", #""mjpeg""#),
    ])
    func whatJPEGsHaveNotIsRefused(field: String, value: String, codec: String) {
        let bench = bench()
        let reply = bench.send(.recording, #"{"on": true, "\#(field)": \#(value), "codec": \#(codec)}"#)
        #expect(reply.statuses == [.error] && reply.error?.code == .unsupported)
        #expect(reply.error?.field == field)
        #expect(bench.states(.recording).map { $0["state"] } == ["idle"] && bench.media.recordings.isEmpty)
        // The configured codec counts too.
        let configured = self.bench(RecordingSettings(codec: .mjpeg))
        #expect(configured.send(.recording, #"{"on": true, "\#(field)": \#(value)}"#).error?.field == field)
        configured.startRecording(#"{"on": true, "\#(field)": \#(value), "codec": "h264"}"#)
    }

    @Test(arguments: [
        ("quality", "0"), ("quality", "101"), ("max_bit_rate", "49999"), ("max_bit_rate", "200000001"),
        ("key_frame_interval_s", "0.09"), ("key_frame_interval_s", "60.5"),
    ])
    func whatIsOutOfItsRangeIsRefusedAndNothingChanges(field: String, value: String) {
        let bench = bench()
        let reply = bench.send(.recording, #"{"on": true, "\#(field)": \#(value)}"#)
        #expect(reply.statuses == [.error] && reply.error?.code == .badPayload)
        #expect(reply.error?.field == field)
        #expect(bench.states(.recording).map { $0["state"] } == ["idle"] && bench.media.recordings.isEmpty)
        #expect(bench.startRecording()["path"] == "recordings/camera-1.mp4", "a number was used")
    }

    @Test func anEncodingIsAnOptionOfANewRecordingOnly() {
        let bench = bench()
        bench.startRecording()
        let other = bench.send(.recording, #"{"on": true, "quality": 80}"#)
        #expect(other.statuses == [.error] && other.error?.code == .busy)
        #expect(bench.state(.recording)["quality"] == 56)
    }
}
