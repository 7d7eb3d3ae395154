internal import ArgumentParser
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages

/// `ctl record`
struct RecordControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Begins a recording, or ends it and says where its file is.",
        discussion: """
            v4l2mqtt ctl record on                     returns when the first frame is in the file
            v4l2mqtt ctl record off                    returns when the file is complete, prints its path at the agent
            v4l2mqtt ctl record on --for 10            both, with ten seconds between; Ctrl-C ends it earlier
            """)

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var options: BusOptions

    @Argument(help: "Whether it is to record: on or off.")
    var action: Switch

    @Option(help: "When it ends by itself, in seconds, 1 to 86400.")
    var maxDuration: Double?

    @Option(help: "How it is coded: h264 or mjpeg.")
    var codec: MovieCodecField?

    @Flag(inversion: .prefixedNo, help: "With or without sound; otherwise as the agent is configured.")
    var audio: Bool?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Records for so many seconds, and waits for the file.", valueName: "seconds"))
    var length: Double?

    func validate() throws {
        for (name, value) in [("--max-duration", maxDuration), ("--for", length)] {
            if let value, !(1...86_400).contains(value) {
                throw ValidationError("\(name) is 1 to 86400 seconds.")
            }
        }
        if length != nil && maxDuration != nil {
            throw ValidationError("Give one of --for and --max-duration: --for waits for the end.")
        }
        if action == .off && (length != nil || maxDuration != nil || codec != nil || audio != nil) {
            throw ValidationError("--for, --max-duration, --codec and --audio go with on.")
        }
    }

    func run() throws {
        var fields = CommandFields()
        fields.on = action == .on
        // The agent ends it: it does so too when we are gone.
        (fields.max_duration_s, fields.codec, fields.audio) = (length ?? maxDuration, codec, audio)
        switch (action, length) {
        case (.off, _): try Controller(options).ask(.recording, fields)
        case (.on, nil): try begin(fields)
        case (.on, _): try record(fields)
        }
    }

    /// Begins, and tells the path, which isn't in the answer but in the node's state; with `--json`, all of the state.
    private func begin(_ fields: CommandFields) throws {
        let controller = try Controller(options, listeningTo: ["recording"])
        var done: Reply?
        // By topic: what the broker keeps may come before it is known which camera it is to be.
        var states: [String: RecordingState] = [:]
        let tell = { [controller, options] in
            guard let done, let place = controller.place else { return }
            if done.error != nil { return controller.conclude(done) }
            let state = states[place.topics.state(of: .recording, camera: place.camera)]
            guard let state, state.on, let path = state.path else { return controller.beImpatient() }
            if options.json { say(json: state) } else { say("recording, \(path.printable)") }
            controller.finish()
        }
        controller.heard = { message in
            states[message.topic] = JSON.value(RecordingState.self, from: message.payload)
            tell()
        }
        try controller.run { [controller] _ in
            controller.send(.recording, fields) { reply in
                if reply.status == .accepted { return }
                done = reply
                tell()
            }
        }
    }

    /// Begins, waits for the end, and tells what came of it.
    private func record(_ fields: CommandFields) throws {
        let controller = try Controller(options, listeningTo: ["event"])
        var id: String?
        var hasBegun = false
        var end: RecordingFields?
        // One that doesn't begin is refused, whatever else is said of it.
        let tell = {
            if hasBegun, let end { finished(end, controller) }
        }
        let signals = try Signals([SIGTERM, SIGINT], on: controller.loop) { [controller] _ in
            guard id != nil else { return controller.finish() }
            var off = CommandFields()
            off.on = false
            // The event says what came of it.
            controller.send(.recording, off) { if $0.error != nil { controller.conclude($0) } }
        }
        controller.heard = { message in
            guard let id, let event = JSON.value(Event.self, from: message.payload), event.id == id,
                event.event == .recordingFinished, let recording = event.recording
            else { return }
            end = recording
            tell()
        }
        controller.lost = { [controller] reason in
            controller.fail(
                .unavailable, "\(reason) Where the agent runs, the recording goes on to its end without us.")
        }
        try controller.run { [controller] _ in
            id = controller.send(.recording, fields) { reply in
                if reply.error != nil { return controller.conclude(reply) }
                guard reply.status == .done else { return }
                hasBegun = true
                controller.bePatient()
                tell()
            }
        }
        withExtendedLifetime(signals) {}
    }

    private func finished(_ recording: RecordingFields, _ controller: Controller) {
        if options.json { say(json: recording) }
        if let error = recording.error {
            let kept = recording.path.map { "; what there is of it is in \($0.printable)" } ?? ""
            return controller.fail(saying: "\(error.words)\(kept)")
        }
        if !options.json { say(recording.line) }
        guard recording.reason.isWanted else {
            return controller.fail(saying: "The recording ended early: \(recording.reason.rawValue).")
        }
        controller.finish()
    }
}

extension MovieCodecField: ExpressibleByArgument {}

extension RecordingFields.Reason {
    /// Whether somebody wanted the end, by a command or by its length.
    fileprivate var isWanted: Bool { self == .stopped || self == .maximumDuration }
}

extension RecordingFields {
    /// What a person wants to know of it: where it is, how long and how large.
    var line: String {
        let seconds = Int(min(max(duration, 0), 1e9) * 10)
        let size = "\(width)x\(height), \(seconds / 10).\(seconds % 10) s, \(bytes) bytes"
        let missing = lost > 0 ? ", \(lost) frames lost" : ""
        return "\(path?.printable ?? "no file"), \(size), \(reason.rawValue)\(missing)"
    }
}
