import Ctl
import Fleet
import Testing

@testable import Bus
@testable import Contract

/// Outcomes of what takes a while: recordings and gestures.
extension Outcome {
    /// Recordings.
    static let recordings: [Outcome] = {
        let start = CtlOperation.startRecording([:])
        let timed = CtlOperation.record([:])
        let state = ConversationEvent.message(
            message("porch/door/recording", JSON.bytes(recordingState(.recording, path: "/r/1.mkv"))))
        let idle = ConversationEvent.message(
            message("porch/door/recording", JSON.bytes(recordingState(.idle))))
        let end = "/r/1.mkv, 640x360, 1.9 s, 1 kB"
        let first = recording(.continued, cause: .zoom)
        let second = recording(.continued, path: "/r/2.mkv", cause: .encoder, earlier: ["/r/1.mkv"])
        let last = recording(path: "/r/3.mkv", earlier: ["/r/1.mkv", "/r/2.mkv"])
        let goesOn = "If the agent still runs, the recording goes on until its end."
        return [
            Outcome(
                "start: the state first", start, options(), ready + [state, .message(reply(1))], code: 0,
                lines: ["recording, /r/1.mkv"]),
            Outcome(
                "start: the answer first", start, options(),
                ready + [idle, .message(reply(1, .accepted)), .message(reply(1)), .wait(.seconds(4)), state],
                code: 0, lines: ["recording, /r/1.mkv"]),
            Outcome(
                "start: no path", start, options(),
                ready + [.message(reply(1)), .wait(.seconds(3)), idle, .wait(.seconds(2))], code: 1,
                errors: [noAnswer]),
            Outcome(
                "start: refused", start, options(),
                ready + [state, .message(reply(1, .error, error: refusal))],
                code: 1, errors: ["busy: The camera is busy."]),
            Outcome(
                "timed", timed, options(),
                ready + [
                    .message(reply(1)), .wait(.seconds(3600)), .message(recordingFinished("ctl-test-1")),
                ],
                code: 0, lines: ["\(end), max_duration"]),
            Outcome(
                "timed: the end is reported before the start", timed, options(),
                ready + [.message(recordingFinished("ctl-test-1")), .message(reply(1))], code: 0,
                lines: ["\(end), max_duration"]),
            Outcome(
                "timed: another client's end", timed, options(),
                ready + [
                    .message(reply(1)), .message(recordingFinished("phone-1")),
                    .message(recordingFinished("ctl-test-1")),
                ], code: 0, lines: ["\(end), max_duration"]),
            Outcome(
                "timed: interrupted", timed, options(),
                ready + [
                    .message(reply(1)), .interrupt, .message(reply(2)),
                    .message(recordingFinished("ctl-test-1", recording(.stopped))),
                ], code: 0, lines: ["\(end), stopped"]),
            Outcome(
                "timed: interrupted before it was sent", timed, options(), [.connected, .interrupt], code: 0),
            Outcome(
                "timed: the stop is refused", timed, options(),
                ready + [.message(reply(1)), .interrupt, .message(reply(2, .error, error: refusal))], code: 1,
                errors: ["busy: The camera is busy."]),
            Outcome(
                "timed: the stop is not answered", timed, options(),
                ready + [.message(reply(1)), .interrupt, .wait(.seconds(5))], code: 1, errors: [noAnswer]),
            Outcome(
                "timed: ended early", timed, options(),
                ready + [
                    .message(reply(1)), .message(recordingFinished("ctl-test-1", recording(.agentStopped))),
                ],
                code: 1, lines: ["\(end), agent_stopped"],
                errors: ["The recording ended early: agent_stopped."]),
            Outcome(
                "timed: failed", timed, options(),
                ready + [
                    .message(reply(1)),
                    .message(recordingFinished("ctl-test-1", recording(.failed, error: refusal))),
                ], code: 1, errors: ["busy: The camera is busy.; the incomplete file is /r/1.mkv"]),
            Outcome(
                "timed: continued in other files", timed, options(),
                ready + [
                    .message(reply(1)), .message(recordingFinished("ctl-test-1", first)),
                    .wait(.seconds(3600)), .message(recordingFinished("ctl-test-1", second)),
                    .message(recordingFinished("ctl-test-1", last)),
                ], code: 0,
                lines: [
                    "\(end), continued (zoom)",
                    "/r/2.mkv, 640x360, 1.9 s, 1 kB, continued (encoder)",
                    "/r/3.mkv, 640x360, 1.9 s, 1 kB, max_duration",
                ]),
            Outcome(
                "timed: continued before the answer to the start", timed, options(),
                ready + [
                    .message(recordingFinished("ctl-test-1", first)), .message(reply(1)),
                    .message(
                        recordingFinished("ctl-test-1", recording(path: "/r/2.mkv", earlier: ["/r/1.mkv"]))),
                ], code: 0,
                lines: [
                    "\(end), continued (zoom)", "/r/2.mkv, 640x360, 1.9 s, 1 kB, max_duration",
                ]),
            Outcome(
                "timed: the event of an earlier file is lost", timed, options(),
                ready + [
                    .message(reply(1)), .message(recordingFinished("ctl-test-1", second)),
                    .message(recordingFinished("ctl-test-1", last)),
                ], code: 0,
                lines: [
                    "/r/2.mkv, 640x360, 1.9 s, 1 kB, continued (encoder)",
                    "/r/1.mkv, continued in the next file",
                    "/r/3.mkv, 640x360, 1.9 s, 1 kB, max_duration",
                ]),
            Outcome(
                "timed: an earlier file is incomplete", timed, options(),
                ready + [
                    .message(reply(1)),
                    .message(
                        recordingFinished("ctl-test-1", recording(.continued, error: refusal, cause: .format))
                    ),
                    .message(recordingFinished("ctl-test-1", recording(path: "/r/2.mkv"))),
                ], code: 1, lines: ["/r/2.mkv, 640x360, 1.9 s, 1 kB, max_duration"],
                errors: ["busy: The camera is busy.; the incomplete file is /r/1.mkv"]),
            Outcome(
                "timed: refused", timed, options(), ready + [.message(reply(1, .error, error: refusal))],
                code: 1, errors: ["busy: The camera is busy."]),
            Outcome(
                "timed: not answered", timed, options(), ready + [.wait(.seconds(5))], code: 1,
                errors: [noAnswer]),
            Outcome(
                "timed: connection lost", timed, options(), ready + [.message(reply(1)), .lost], code: 1,
                errors: ["broker:1883: closed \(goesOn)"]),
            Outcome(
                "timed: the agent's will", timed, options(),
                ready + [.message(reply(1)), .message(availability("porch", .offline)), .wait(.seconds(5))],
                code: 1, errors: ["porch is offline. \(goesOn)"]),
        ]
    }()

    /// A pinch of three `changed` samples; each is due 1/60 s after the one before it.
    static let pinches: [Outcome] = {
        let pinch = CtlOperation.pinch(PinchGesture(name: "g", scale: 2, milliseconds: 50, anchor: nil))
        return [
            Outcome(
                "a whole gesture", pinch, options(),
                ready + [
                    .message(reply(1)), .wait(.milliseconds(100)), .message(reply(2)), .message(reply(3)),
                    .message(reply(4)), .message(reply(5)),
                ], code: 0, lines: ["done"]),
            Outcome(
                "superseded at the start", pinch, options(), ready + [.message(reply(1, .superseded))],
                code: 1, lines: ["superseded"]),
            Outcome(
                "superseded at the end", pinch, options(),
                ready + [.message(reply(1)), .wait(.milliseconds(100)), .message(reply(5, .superseded))],
                code: 1, lines: ["superseded"]),
            Outcome(
                "a sample is refused", pinch, options(),
                ready + [
                    .message(reply(1)), .wait(.milliseconds(20)), .message(reply(2, .error, error: refusal)),
                ],
                code: 1, errors: ["busy: The camera is busy."]),
            Outcome(
                "no answer to the last sample", pinch, options(),
                ready + [.message(reply(1)), .wait(.seconds(6))], code: 1, errors: [noAnswer]),
        ]
    }()
}
