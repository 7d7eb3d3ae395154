package import Settings
package import ZoomModel

extension Node {
    package static var recording: Node { Node(Recording.self) }

    /// Video, from the command to the finished file.
    package enum Recording: NodeContract {
        package typealias Command = RecordingSet
        package typealias State = RecordingState
        package static var name: String { "recording" }
    }
}

/// The payload of `recording/set`: `ON`, `OFF`, or an object.
package enum RecordingSet: SwitchForm {
    package static let mayHaveTime = true

    case on(Options)
    case off

    package var policy: CommandPolicy {
        CommandPolicy(needsDevice: self != .off, isRateLimited: self != .off, usesFrames: self != .off)
    }

    /// The options of a recording; nil: as configured.
    package struct Options: Sendable, Equatable, Form {
        /// Ends by itself after so many seconds, 1…86,400.
        package var maximumSeconds: Double?
        package var codec: RecordingCodec?
        /// Whether sound is recorded.
        package var audio: Bool?
        /// See ``RecordingEncoding``.
        package var quality: Int?
        package var maximumBitRate: Int?
        package var keyFrameSeconds: Double?

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            maximumSeconds = f.maybe(
                "max_duration_s", \.maximumSeconds, .within(1...86_400),
                "At most; absent: as configured.")
            codec = f.maybe("codec", \.codec, .any, "Absent: as configured.")
            audio = f.maybe(
                "audio", \.audio, .any,
                "With sound; absent: if there is a microphone.")
            quality = f.maybe(
                "quality", \.quality, .within(RecordingEncoding.qualities),
                "Of encoded pictures.")
            maximumBitRate = f.maybe(
                "max_bit_rate", \.maximumBitRate, .within(RecordingEncoding.bitRates),
                "`h264`: bits per second, at most.")
            keyFrameSeconds = f.maybe(
                "key_frame_interval_s", \.keyFrameSeconds, .within(RecordingEncoding.keyFrameIntervals),
                "`h264`: between key frames, at most.")
        }
    }

    package init(isOn: Bool) { self = isOn ? .on(Options()) : .off }

    package init(_ f: inout some FormVisitor<Self>) {
        let isOn = f(
            "on", { $0 != .off }, .any, "Records, or ends the recording. The others need `true`.",
            missing: "required: true to record, false to end it.")
        let options = f.option { if case .on(let options) = $0 { options } else { nil } } as Options?
        f.refuse(
            ["max_duration_s", "codec", "audio", "quality", "max_bit_rate", "key_frame_interval_s"],
            when: .unequal("on", .flag(true)), "it requires on:true.")
        self = isOn ? .on(options ?? Options()) : .off
    }
}

extension RecordingCodec: FieldWord {}

/// The state of `recording`.
package struct RecordingState: StateForm {
    package enum Phase: String, Sendable, FieldWord {
        case idle
        /// The camera and the encoder get ready.
        case starting
        case recording
        /// The file is being completed.
        case finishing
    }

    package var state: Phase
    package var on: Bool
    package var path: String?
    package var codec: RecordingCodec?
    package var source: RecordingSource?
    package var width: Int?
    package var height: Int?
    package var maximumSeconds: Double?
    package var audio: Bool?
    package var quality: Int?
    package var maximumBitRate: Int?
    package var keyFrameSeconds: Double?
    package var startedAt: String?
    package var earlier: [String]?
    package var keyFrameDelay: Double?
    package var origin: Origin?
    package var last: RecordingFields?

    package init(_ state: Phase, last: RecordingFields?) {
        (self.state, on) = (state, state == .starting || state == .recording)
        self.last = last
    }

    package init(_ f: inout some FormVisitor<Self>) {
        state = f(
            "state", \.state, .any,
            "`starting`: camera and encoder get ready; `finishing`: the file is completed.")
        on = f("on", \.on, .any, "While `starting` and `recording`.")
        path = f.maybe("path", \.path, .filled, "Once the first frame is in the file.")
        codec = f.maybe("codec", \.codec, .any, "Like what follows, unless `idle`.")
        source = f.maybe("source", \.source, .any, "Of `h264`, from its first frame.")
        width = f.maybe("width", \.width, .pixels, "Pixels.")
        height = f.maybe("height", \.height, .pixels, "Pixels.")
        maximumSeconds = f.maybe(
            "max_duration_s", \.maximumSeconds, .recordingSeconds, "After which it ends.")
        audio = f.maybe("audio", \.audio, .any, "With sound.")
        quality = f.maybe("quality", \.quality, .recordingQuality, "Of encoded pictures.")
        maximumBitRate = f.maybe(
            "max_bit_rate", \.maximumBitRate, .bitRate, "Absent: no limit.")
        keyFrameSeconds = f.maybe(
            "key_frame_interval_s", \.keyFrameSeconds, .keyFrameInterval,
            "`h264`: between key frames, at most.")
        startedAt = f.maybe("started_at", \.startedAt, .stamp, "When it was started.")
        keyFrameDelay = f.maybe(
            "key_frame_delay_s", \.keyFrameDelay, .seconds,
            "Of the camera's own H.264: wait for its first key frame.")
        earlier = f.maybe(
            "earlier", \.earlier, .some(.filled), "The recording's files before this one.")
        origin = f.maybe("origin", \.origin, .any, "Of the recording.")
        last = f.maybe("last", \.last, .any, "The newest that ended.")
        let idle = FieldCondition.equal("state", .text("idle"))
        f.refuse(
            [
                "path", "codec", "source", "quality", "max_bit_rate", "key_frame_interval_s", "earlier",
                "key_frame_delay_s", "origin",
            ], when: idle, "not while it is idle.")
        for field in [
            "codec", "width", "height", "max_duration_s", "audio", "quality", "started_at", "origin",
        ] {
            f.demand(field, when: .unequal("state", .text("idle")), "required while it is not idle.")
        }
        f.demand("key_frame_interval_s", when: .equal("codec", .text("h264")), "required with h264.")
        f.refuse(
            ["source", "max_bit_rate", "key_frame_interval_s", "key_frame_delay_s"],
            when: .unequal("codec", .text("h264")), "allowed only with h264.")
    }
}

extension Node.Recording {
    package struct Saved: SavedPart {
        /// The number of the last recording that was begun.
        package var number = 0
        /// The last recording that has ended and has a file.
        package var last: RecordingFields?
        /// The recordings that began and whose end wasn't reported, the oldest first, as they were known at
        /// their begin: a crash leaves them here. Two, if one begins while that of an earlier run is being
        /// inspected.
        package var unfinished: [RecordingFields] = []

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            number = f("recordings", \.number, .counter, default: 0, "The number of the last recording.")
            last = f.maybe("lastRecording", \.last, .any, "The last recording with a file.")
            unfinished = f(
                "unfinishedRecordings", \.unfinished, .each(.any), default: [],
                "Recordings whose end was not reported.")
        }
    }
}
