import Ctl
import Testing

@testable import Bus
@testable import Contract

/// One way in which a conversation can go, and how it ends.
struct Outcome: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var operation: CtlOperation
    var selection: CtlOptions
    var events: [ConversationEvent]
    var code: Int32
    var lines: [String]
    var errors: [String]

    init(
        _ description: String, _ events: [ConversationEvent], code: Int32, lines: [String] = [],
        errors: [String] = []
    ) {
        self.init(description, Self.zoom, options(), events, code: code, lines: lines, errors: errors)
    }

    init(
        _ description: String, _ operation: CtlOperation, _ selection: CtlOptions,
        _ events: [ConversationEvent],
        code: Int32, lines: [String] = [],
        errors: [String] = []
    ) {
        (testDescription, self.operation, self.selection) = (description, operation, selection)
        (self.events, self.code, self.lines, self.errors) = (events, code, lines, errors)
    }
}

/// A final answer with this id.
private func done(id: String?) -> [UInt8] {
    var reply = Reply(.done, boot: 1, ts: timestamp)
    reply.id = id
    return JSON.bytes(reply)
}

extension Outcome {
    static let refusal = CommandError(.busy, "The camera is busy.")
    static let zoom = CtlOperation.command(.zoom, [:])
    static let ready = ConversationEvent.ready
    static let noAnswer = "No answer was received."

    /// Commands with one answer.
    static let commands: [Outcome] = [
        Outcome(
            "done", ready + [.message(reply(1) { ($0.factor, $0.target, $0.rev) = (2, 3, 9) })], code: 0,
            lines: ["done, factor 2.0, target 3.0, rev 9"]),
        Outcome(
            "done, with photos and a recording",
            ready + [
                .message(
                    reply(1) {
                        ($0.clamped, $0.photos, $0.recording) = (true, [photoFields], recording(.stopped))
                    })
            ], code: 0,
            lines: [
                "done, clamped", "/p/1.jpg 640x360", "/r/1.mkv, 640x360, 1.9 s, 1 kB, stopped",
            ]),
        Outcome(
            "accepted, then done",
            ready + [.message(reply(1, .accepted)), .wait(.seconds(3600)), .message(reply(1))], code: 0,
            lines: ["done"]),
        Outcome("superseded", ready + [.message(reply(1, .superseded))], code: 1, lines: ["superseded"]),
        Outcome(
            "refused", ready + [.message(reply(1, .error, error: refusal))], code: 1,
            errors: ["busy: The camera is busy."]),
        Outcome(
            "refused, with fields that are options here",
            ready + [
                .message(
                    reply(
                        1, .error,
                        error: CommandError(
                            .unsupported,
                            "at: not synchronised. Synchronise it, or \(CommandError.Advice.anyClock.rawValue)."
                        ))
                )
            ], code: 1, errors: ["unsupported: at: not synchronised. Synchronise it, or give --any-clock."]),
        Outcome(
            "accepted, then refused",
            ready + [.message(reply(1, .accepted)), .message(reply(1, .error, error: refusal))], code: 1,
            errors: ["busy: The camera is busy."]),
        Outcome(
            "an error without its reason", ready + [.message(reply(1, .error))], code: 1, lines: ["error"]),
        Outcome("no answer", ready + [.wait(.seconds(5))], code: 1, errors: [noAnswer]),
        Outcome(
            "no answer of an agent that goes offline",
            ready + [.wait(.seconds(1)), .message(availability("porch", .offline)), .wait(.seconds(4))],
            code: 1,
            errors: ["porch is offline."]),
        Outcome(
            "answers to others",
            ready + [
                .message(reply(2)), .message(reply(id: "phone-1")), .message(photo(1)),
                .message(answer(Array("done".utf8), correlation: "ctl-test-1")), .wait(.seconds(5)),
            ], code: 1, errors: [noAnswer]),
        Outcome(
            "answers without or with other correlation data",
            ready + [
                .message(answer(done(id: "ctl-test-1"), correlation: nil)),
                .message(answer(done(id: "ctl-test-1"), correlation: "")),
                .message(answer(done(id: "ctl-test-1"), correlation: "ctl-test-2")),
                .message(answer(done(id: "phone-1"), correlation: "ctl-test-1")), .wait(.seconds(5)),
            ], code: 1, errors: [noAnswer]),
        Outcome(
            "an answer without the id, to what was not read",
            ready + [.message(answer(done(id: nil), correlation: "ctl-test-1"))], code: 0, lines: ["done"]),
        Outcome(
            "an agent with MQTT 3.1.1",
            ready + [
                .message(
                    answer(done(id: "ctl-test-1"), correlation: nil, on: "v4l2mqtt/porch/door/zoom/reply"))
            ], code: 0, lines: ["done"]),
        Outcome(
            "answers on the topics of other nodes, cameras and agents",
            ready
                + [
                    "porch/door/pinch", "porch/yard/zoom", "hall/door/zoom", "porch/zoom",
                    "porch/door/zoom/x",
                ].map {
                    .message(answer(done(id: "ctl-test-1"), correlation: nil, on: "v4l2mqtt/\($0)/reply"))
                } + [
                    .message(
                        answer(
                            done(id: "ctl-test-1"), correlation: "phone-1",
                            on: "v4l2mqtt/porch/door/zoom/reply")),
                    .wait(.seconds(5)),
                ], code: 1, errors: [noAnswer]),
        Outcome(
            "text with control characters",
            ready + [
                .message(
                    reply(
                        1, .error,
                        error: CommandError(.busy, "a\u{1B}[2J\nb\u{9B}c\u{202E}d\u{2028}\u{E000}\u{1F600}")))
            ], code: 1, errors: [#"busy: a\u001b[2J\nb\u009bc\u202ed\u2028\ue000"# + "\u{1F600}"]),
        Outcome(
            "control characters in JSON", zoom, options(json: true),
            ready + [
                .message(reply(1, .error, error: CommandError(.busy, "a\u{1B}\u{9B}\u{202E}\u{E0001}")))
            ],
            code: 1,
            lines: [
                #"{"id":"ctl-test-1","status":"error","boot":1,"#
                    + #""error":{"code":"busy","message":"a\u001b\u009b\u202e\udb40\udc01"},"#
                    + #""ts":"2026-01-02T03:04:05.000Z"}"#
            ], errors: [#"busy: a\u001b\u009b\u202e\udb40\udc01"#]),
        Outcome(
            "connection lost while waiting", ready + [.message(reply(1, .accepted)), .lost], code: 1,
            errors: ["broker:1883: closed"]),
        Outcome(
            "the agent's will",
            ready + [
                .message(reply(1, .accepted)), .message(availability("porch", .offline)),
                .wait(.seconds(5)),
            ], code: 1, errors: ["porch is offline."]),
        Outcome(
            "a second will does not extend the time",
            ready + [
                .message(reply(1, .accepted)), .message(availability("porch", .offline)), .wait(.seconds(4)),
                .message(availability("porch", .offline)), .wait(.seconds(1)),
            ], code: 1, errors: ["porch is offline."]),
        Outcome(
            "the agent is back in time",
            ready + [
                .message(reply(1, .accepted)), .message(availability("porch", .offline)), .wait(.seconds(4)),
                .message(availability("porch", .online, boot: 7)), .wait(.seconds(60)), .message(reply(1)),
            ], code: 0, lines: ["done"]),
        Outcome(
            "the agent has restarted",
            ready + [.message(availability("porch", .online, boot: 8))], code: 1,
            errors: ["porch has restarted."]),
        Outcome(
            "the agent stops", ready + [.message(availability("porch", .stopped))], code: 1,
            errors: ["porch is stopped."]),
        Outcome(
            "another agent stops",
            ready + [.message(availability("hall", .stopped)), .message(reply(1))], code: 0, lines: ["done"]),
        Outcome(
            "JSON", zoom, options(json: true),
            ready + [.message(reply(1, .error, error: refusal))], code: 1,
            lines: [
                #"{"id":"ctl-test-1","status":"error","boot":1,"#
                    + #""error":{"code":"busy","message":"The camera is busy."},"ts":"2026-01-02T03:04:05.000Z"}"#
            ], errors: ["busy: The camera is busy."]),
        Outcome("an interrupt", ready + [.interrupt], code: 0),
    ]

    /// The broker, and the choice of the camera.
    static let choices: [Outcome] = [
        Outcome("no connection", [.lost], code: 1, errors: ["broker:1883: closed"]),
        Outcome(
            "no answer to CONNECT", [.wait(.seconds(5))], code: 1, errors: ["The broker doesn't answer."]),
        Outcome(
            "no answer to the subscriptions", [.connected, .wait(.seconds(5))], code: 1,
            errors: ["The broker doesn't answer."]),
        Outcome(
            "a subscription is refused", [.connected, .refused], code: 1,
            errors: ["The broker refuses the subscription to a/#."]),
        Outcome(
            "connection lost during the choice", [.connected, .subscribed, .lost], code: 1,
            errors: ["broker:1883: closed"]),
        Outcome(
            "no agent", [.connected, .subscribed, .wait(.milliseconds(300))], code: 1,
            errors: ["There is no agent below v4l2mqtt/ at broker:1883."]),
        Outcome(
            "no agent, as JSON", zoom, options(json: true),
            [.connected, .subscribed, .wait(.milliseconds(300))], code: 1,
            lines: [
                #"{"status":"error","error":{"code":"unavailable","message":"#
                    + #""There is no agent below v4l2mqtt/ at broker:1883."}}"#
            ], errors: ["There is no agent below v4l2mqtt/ at broker:1883."]),
        Outcome(
            "an agent that does not answer the request for its messages", zoom, options(agent: "porch"),
            [.connected, .subscribed, .wait(.seconds(2))], code: 1,
            errors: ["There is no agent below v4l2mqtt/ at broker:1883."]),
        Outcome(
            "two agents",
            [
                .connected, .subscribed, .message(agentInfo("porch", cameras: "door")),
                .message(agentInfo("hall", cameras: "door")), .wait(.milliseconds(600)),
            ], code: 1, errors: ["There is more than one agent: hall, porch. Name one with --agent."]),
        Outcome(
            "two agents, one online",
            [
                .connected, .subscribed, .message(agentInfo("hall", cameras: "door")),
                .message(availability("hall", .offline)),
            ] + ready.dropFirst(2) + [.message(reply(1))], code: 0, lines: ["done"]),
        Outcome(
            "a group is not an agent", zoom, options(agent: "groups", camera: "front"),
            [.connected, .subscribed, .wait(.milliseconds(1700))] + ready.dropFirst(2), code: 1,
            errors: ["There is no agent groups; there is porch."]),
        Outcome(
            "replies of a group's members", zoom, options(agent: "porch"),
            [
                .connected, .subscribed, .message(agentInfo("porch", cameras: "door")),
                .message(availability("porch", .online, boot: 7)),
                .message(reply(id: "phone-1") { $0.camera = "door" }),
                .message(reply(id: "phone-1") { $0.camera = "yard" }), .message(reply(1)),
            ], code: 0, lines: ["done"]),
        Outcome(
            "the named agent is stopped", zoom, options(agent: "porch"),
            [
                .connected, .subscribed, .message(agentInfo("porch", cameras: "door")),
                .message(availability("porch", .stopped)),
            ], code: 1, errors: ["porch is stopped."]),
        Outcome(
            "two cameras",
            [
                .connected, .subscribed, .message(agentInfo("porch", cameras: "door", "yard")),
                .wait(.milliseconds(600)),
            ], code: 1, errors: ["porch has the cameras door, yard. Name one with --camera."]),
        Outcome(
            "an unknown camera", zoom, options(camera: "roof"), ready, code: 1,
            errors: [#"porch has no camera "roof"; it has door."#]),
        Outcome(
            "a camera with a wildcard as its name",
            [
                .connected, .subscribed, .message(agentInfo("porch", cameras: "+")),
                .message(availability("porch", .online, boot: 7)), .wait(.milliseconds(300)),
            ], code: 1, errors: ["porch has no camera."]),
    ]

    /// Operations that read states.
    static let states: [Outcome] = [
        Outcome(
            "presets", .listPresets, options(),
            ready + [.message(message("porch/door/presets", presetsState))],
            code: 0,
            lines: [
                "NAME    ZOOM    MIDDLE    CONTROLS", "home    widest  -         -",
                "gate *  3×      0.5,0.25  focus_absolute=7",
            ]),
        Outcome(
            "presets as JSON", .listPresets, options(json: true),
            ready + [.message(message("porch/door/presets", presetsState))], code: 0,
            lines: [String(decoding: presetsState, as: UTF8.self)]),
        Outcome(
            "presets that can't be read", .listPresets, options(),
            ready + [.message(message("porch/door/presets", "[]"))], code: 1,
            errors: ["The camera's presets can't be read."]),
        Outcome(
            "the lease", .showLease, options(),
            ready + [
                .message(
                    message("porch/door/lease", #"{"client":"desk","until":"\#(timestamp)","rev":1}"#))
            ], code: 0, lines: ["desk until \(timestamp)"]),
        Outcome(
            "no lease", .showLease, options(), ready + [.message(message("porch/door/lease", "null"))],
            code: 0, lines: ["No client has the lease."]),
        Outcome(
            "a silent camera", .listPresets, options(),
            ready + [.wait(.milliseconds(300)), .wait(.seconds(1))],
            code: 1, errors: ["porch/door is silent."]),
        Outcome(
            "a camera that is offline", .listControls, options(),
            ready + [
                .message(availability("porch/door", .offline, reason: "not_found")),
                .wait(.milliseconds(300)), .wait(.seconds(1)),
            ], code: 1, errors: ["porch/door is offline: not_found."]),
        Outcome(
            "states that come when the camera is asked for them", .listPresets, options(),
            ready + [
                .wait(.milliseconds(300)), .message(availability("porch/door", .online)),
                .wait(.milliseconds(999)), .message(message("porch/door/presets", presetsState)),
            ], code: 0,
            lines: [
                "NAME    ZOOM    MIDDLE    CONTROLS", "home    widest  -         -",
                "gate *  3×      0.5,0.25  focus_absolute=7",
            ]),
        Outcome(
            "a command that is cancelled", .cancel("take-1"), options(),
            ready + [.message(reply(1, .error, error: refusal)), .message(reply(2))], code: 0,
            lines: ["done"]),
        Outcome(
            "a command that waits on no node", .cancel("take-1"), options(),
            ready + (1...6).map { .message(reply($0, .error, error: refusal)) }, code: 1,
            errors: ["busy: The camera is busy."]),
        Outcome(
            "controls are set", .setControls([.init(name: "brightness", value: "12")]), options(),
            ready + [
                .message(message("porch/door/info", JSON.bytes(info))),
                .message(message("porch/door/controls", controlsState)),
                .message(reply(1) { $0.values = ["brightness": .number(12), "autofocus": .flag(true)] }),
            ], code: 0, lines: ["done", "brightness 12"]),
        Outcome(
            "an impossible value", .setControls([.init(name: "brightness", value: "bright")]), options(),
            ready + [
                .message(message("porch/door/info", JSON.bytes(info))),
                .message(message("porch/door/controls", controlsState)),
            ], code: 1, errors: [#"brightness takes 0…255; found "bright"."#]),
    ]

    /// Photos that are transferred.
    static let photos: [Outcome] = {
        let file = CtlOperation.capture([:], to: .file("here.jpg"))
        let output = CtlOperation.capture([:], to: .standardOutput)
        return [
            Outcome(
                "a file", file, options(), ready + [.wait(.seconds(119)), .message(photo(1))],
                code: 0, lines: ["here.jpg, 2 B"]),
            Outcome(
                "a file, as JSON", file, options(json: true), ready + [.message(photo(1))],
                code: 0, lines: [#"{"path":"here.jpg","bytes":2}"#]),
            Outcome("standard output", output, options(), ready + [.message(photo(1))], code: 0),
            Outcome(
                "another client's photo", file, options(),
                ready + [.message(photo(2)), .wait(.seconds(120))], code: 1, errors: [noAnswer]),
            Outcome(
                "superseded", file, options(), ready + [.message(reply(1, .superseded))], code: 1,
                lines: ["superseded"]),
            Outcome(
                "superseded, to standard output", output, options(),
                ready + [.message(reply(1, .superseded))], code: 1, errors: ["superseded"]),
            Outcome(
                "an agent that uses MQTT 3.1.1", file, options(), ready + [.message(reply(1))], code: 1,
                errors: ["The agent speaks MQTT 3.1.1: it can't send the photo here."]),
        ]
    }()

    static let all = commands + choices + states + photos + recordings + pinches
}
