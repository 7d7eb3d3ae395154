internal import ArgumentParser
internal import Contract
internal import Ctl
internal import Settings

/// `ctl record`
struct CtlRecord: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Starts a recording, or stops it and prints the path of its file.",
        discussion: """
            v4l2mqtt ctl record on            returns when the first frame is in the file
            v4l2mqtt ctl record off           returns when the file is complete, prints its path at the agent
            v4l2mqtt ctl record on --for 10   records for ten seconds, waits for the file; Ctrl-C stops earlier

            With --group, --for waits for the files of all cameras.
            """)

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var options: BusOptions

    @OptionGroup var time: TimeOptions

    @Argument(help: "on starts a recording, off stops it.")
    var action: Switch

    @Option(help: "The maximum duration in seconds, 1 to 86400.")
    var maxDuration: Double?

    @Option(help: "The codec: h264 or mjpeg.")
    var codec: RecordingCodec?

    @Flag(inversion: .prefixedNo, help: "With or without sound; default: as the agent is configured.")
    var audio: Bool?

    @Option(help: "The quality of pictures that the agent encodes, 1 to 100.")
    var quality: Int?

    @Option(help: "The limit of the pictures' bit rate, in bits per second (h264).")
    var maxBitRate: Int?

    @Option(help: "The longest time between two key frames, in seconds, 0.1 to 60 (h264).")
    var keyFrameInterval: Double?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Records for this duration and waits for the file.", valueName: "seconds"))
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
        // Ctrl-C stops what --for has begun; it can't end a command that waits at the agent.
        if length != nil && time.time != nil {
            throw ValidationError("--for takes neither --in nor --at; --max-duration does.")
        }
        try validateEncoding()
        if action == .off && fields.names.count > 1 {
            throw ValidationError("on takes options, off takes none.")
        }
    }

    private func validateEncoding() throws {
        for (name, value, range) in [
            ("--quality", quality, RecordingEncoding.qualities),
            ("--max-bit-rate", maxBitRate, RecordingEncoding.bitRates),
        ] {
            if let value, !range.contains(value) {
                throw ValidationError("\(name) is \(range.lowerBound) to \(range.upperBound).")
            }
        }
        if let keyFrameInterval, !RecordingEncoding.keyFrameIntervals.contains(keyFrameInterval) {
            throw ValidationError("--key-frame-interval is 0.1 to 60 seconds.")
        }
    }

    private var fields: JSONObject {
        [
            "quality": quality.map(JSON.integer), "on": .flag(action == .on),
            // The agent limits the duration, so that the recording ends even if this process is gone.
            "max_duration_s": (length ?? maxDuration).map(JSON.number),
            "codec": codec.map { .text($0.rawValue) }, "audio": audio.map(JSON.flag),
            "max_bit_rate": maxBitRate.map(JSON.integer),
            "key_frame_interval_s": keyFrameInterval.map(JSON.number),
        ]
    }

    func run() throws {
        switch (action, length) {
        case (.off, _): try options.run(.command(.recording, fields), time)
        case (.on, nil): try options.run(.startRecording(fields), time)
        case (.on, _): try options.run(.record(fields))
        }
    }
}

extension RecordingCodec: ExpressibleByArgument {}
