internal import ArgumentParser
internal import BrokerOptions
internal import Contract
internal import Settings

extension CtlCommand {
    struct Capture: TimedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes photos.",
            discussion: """
                v4l2mqtt ctl capture                              stores the photo at the agent, prints its path there
                v4l2mqtt ctl capture --zoom 3 --output here.jpg   zooms, waits for the zoom, transfers the photo
                v4l2mqtt ctl capture --group stage --output photos   one file for each camera, at one moment

                With --group, --output is a folder, which is made if it is missing. All cameras take their photos, \
                and these are copied there one after the other, as AGENT-CAMERA-NAME with their names at the agents.
                """,
            aliases: ["photo"])

        @Option(
            help:
                "Writes the photo to this local file or into this folder, - for standard output. The agent has to use MQTT 5.",
            completion: .file())
        var output: String?

        @Option(help: "The JPEG's quality, 1 to 100.")
        var quality: Int?

        @Option(help: "The maximum width in pixels.")
        var width: Int?

        @Option(help: "The maximum height in pixels.")
        var height: Int?

        @Option(help: "The number of photos.")
        var count: Int?

        @Option(help: "The factor to zoom to first.")
        var zoom: Double?

        @OptionGroup var time: TimeOptions
        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            get throws {
                let size: JSONObject = ["width": width.map(JSON.integer), "height": height.map(JSON.integer)]
                let fields: JSONObject = [
                    "quality": quality.map(JSON.integer), "size": size.isEmpty ? nil : .object(size),
                    "count": count.map(JSON.integer), "zoom": zoom.map { .object(["factor": .number($0)]) },
                ]
                guard let output else { return .command(.capture, fields) }
                if output.isEmpty { throw ValidationError("--output is a file, or with --group a folder.") }
                if !options.broker.isV5 { throw ValidationError("--output needs MQTT 5.") }
                if options.group != nil {
                    if output == "-" { throw ValidationError("With --group, --output is a folder.") }
                    return .capture(fields, to: .folder(output))
                }
                if count ?? 1 != 1 { throw ValidationError("--output takes one photo.") }
                guard output == "-" else { return .capture(fields, to: .file(output)) }
                if options.json { throw ValidationError("--output - is the photo, and no JSON.") }
                return .capture(fields, to: .standardOutput)
            }
        }
    }

    struct Record: TimedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Starts a recording, or stops it and prints the path of its file.",
            discussion: """
                v4l2mqtt ctl record on            returns when the first frame is in the file
                v4l2mqtt ctl record off           returns when the file is complete, prints its path at the agent
                v4l2mqtt ctl record on --for 10   records for ten seconds, waits for the file; Ctrl-C stops earlier

                With --group, --for waits for the files of all cameras.
                """)

        @Argument(help: "on starts a recording, off stops it.")
        var action: SwitchArgument

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

        @OptionGroup var time: TimeOptions
        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            get throws {
                if length != nil && maxDuration != nil {
                    throw ValidationError("Give one of --for and --max-duration: --for waits for the end.")
                }
                // Ctrl-C stops what --for has begun; it can't end a command that waits at the agent.
                if length != nil && time.time != nil {
                    throw ValidationError("--for takes neither --in nor --at; --max-duration does.")
                }
                let fields: JSONObject = [
                    "quality": quality.map(JSON.integer), "on": .flag(action == .on),
                    // The agent limits the duration, so that the recording ends even if this process is gone.
                    "max_duration_s": (length ?? maxDuration).map(JSON.number),
                    "codec": codec.map { .text($0.rawValue) }, "audio": audio.map(JSON.flag),
                    "max_bit_rate": maxBitRate.map(JSON.integer),
                    "key_frame_interval_s": keyFrameInterval.map(JSON.number),
                ]
                if action == .off { return .command(.recording, fields) }
                return length == nil ? .startRecording(fields) : .record(fields)
            }
        }
    }

    struct Controls: TimedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the camera's controls, or sets some: all of the given ones or none.",
            discussion: """
                v4l2mqtt ctl controls
                v4l2mqtt ctl controls brightness 100 autofocus off
                v4l2mqtt ctl controls brightness=100 color_effects=Sepia
                """)

        @Argument(
            help: ArgumentHelp(
                "A control, and after a blank or = its value: a number, on or off, or the title of an option.",
                valueName: "name value"),
            completion: Completions.controls)
        var words: [String] = []

        @OptionGroup var time: TimeOptions
        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            get throws {
                let settings: [ControlSetting]
                do throws(CommandError) {
                    settings = try ControlSetting.parse(words)
                } catch {
                    throw ValidationError(error.message)
                }
                if !settings.isEmpty { return .setControls(settings) }
                if time.time != nil {
                    throw ValidationError("The list of controls takes neither --in nor --at.")
                }
                return .listControls
            }
        }
    }

    struct Privacy: CameraCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a camera private: its device is closed until privacy is off again.",
            discussion: """
                v4l2mqtt ctl privacy on    returns when previews and recordings have ended and the device is closed
                v4l2mqtt ctl privacy off   returns when the device is there again, or is known to be away
                """)

        @Argument(help: "on closes the device, off opens it again.")
        var action: SwitchArgument

        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            .command(.privacy, ["state": .text(action.rawValue.uppercased())])
        }
    }

    struct Cancel: CameraCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancels a command that waits for its time.",
            discussion: """
                v4l2mqtt ctl capture --group stage --in 5m --id take-1
                v4l2mqtt ctl cancel take-1 --group stage

                Only the client that has sent a command can cancel it: with --client, give the same name.
                """)

        @Argument(help: "The command's id.")
        var id: String

        @OptionGroup var options: BusOptions

        var operation: CtlOperation { .cancel(id) }
    }
}

extension RecordingCodec: ExpressibleByArgument {}
