package import Settings

/// The payload of `recording/set`: `ON`, `OFF`, or an object.
package enum RecordingSet: Sendable, Equatable, SwitchForm {
    static let mayHaveTime = true

    case on(Options)
    case off

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

    init(isOn: Bool) { self = isOn ? .on(Options()) : .off }

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
