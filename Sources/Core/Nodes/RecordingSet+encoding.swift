internal import Contract
internal import Settings

extension RecordingSet.Options {
    /// Whether the command says how the pictures are encoded: then they are, also if the camera has encoded
    /// them.
    var choosesEncoding: Bool { quality != nil || maximumBitRate != nil || keyFrameSeconds != nil }

    /// How the pictures are encoded: as the command says, otherwise as configured.
    ///
    /// - Throws: `unsupported` when the command has an option that the codec hasn't. A configured default is
    ///   ignored then.
    func encoding(
        with codec: RecordingCodec, _ defaults: RecordingEncoding
    ) throws(CommandError) -> RecordingEncoding {
        if codec == .mjpeg {
            let others = [
                ("max_bit_rate", maximumBitRate != nil), ("key_frame_interval_s", keyFrameSeconds != nil),
            ]
            for (field, isThere) in others where isThere {
                throw CommandError(
                    .unsupported, "\(field): a recording of JPEGs (mjpeg) has no such option; h264 has.",
                    field: field)
            }
        }
        var encoding = defaults
        encoding.quality = quality ?? defaults.quality
        encoding.maximumBitRate = codec == .mjpeg ? nil : maximumBitRate ?? defaults.maximumBitRate
        encoding.keyFrameSeconds = keyFrameSeconds ?? defaults.keyFrameSeconds
        return encoding
    }
}
