package import Settings

/// The payload of `recording/set`: `ON`, `OFF`, or an object.
package enum RecordingSet: Sendable, Equatable, SwitchContent {
    static let mayHaveTime = true

    case on(Options)
    case off

    /// The options of a recording; nil: as configured.
    package struct Options: Sendable, Equatable {
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
    }

    private static let longest = 86_400.0

    init(isOn: Bool) { self = isOn ? .on(Options()) : .off }

    init(_ fields: inout Fields) throws(CommandError) {
        let isOn = try fields.bool("on")
        var options = Options()
        options.maximumSeconds = try fields.number("max_duration_s", in: 1...Self.longest)
        options.codec = try fields.word("codec", of: RecordingCodec.self)
        options.audio = try fields.bool("audio")
        options.quality = try fields.integer("quality", in: RecordingEncoding.qualities)
        options.maximumBitRate = try fields.integer("max_bit_rate", in: RecordingEncoding.bitRates)
        options.keyFrameSeconds = try fields.number(
            "key_frame_interval_s", in: RecordingEncoding.keyFrameIntervals)
        try fields.refuseOthers()
        switch isOn {
        case true: self = .on(options)
        case false:
            try fields.refuse(
                "max_duration_s", "codec", "audio", "quality", "max_bit_rate", "key_frame_interval_s",
                because: "it requires on:true.")
            self = .off
        case nil: throw fields.error("on", "required: true to record, false to end it.")
        }
    }
}
