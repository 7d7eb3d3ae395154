import Settings

extension RecordingCodec {
    /// The end of the file's name, without the dot: JPEGs are stored in Matroska, H.264 in MP4.
    var suffix: String { self == .mjpeg ? "mkv" : "mp4" }
}

/// What a movie is made of.
struct MovieFormat: Sendable, Equatable {
    let codec: RecordingCodec
    /// Pixels in a row. Even for H.264.
    let width: Int
    /// Rows of pixels. Even for H.264.
    let height: Int
    /// Nominal frames per second. What counts is the time of each frame; this is how long the last one lasts,
    /// and what the file's header has.
    let rate: Double
    /// Nil: a silent movie.
    var sound: SoundFormat?
    /// For H.264; JPEGs are written as they are.
    var encoding = RecordingEncoding.standard
}

/// The format of the samples for the sound of a movie. In the file it is AAC, which each player supports in
/// either container.
struct SoundFormat: Sendable, Equatable {
    /// Samples of each channel in a second: one of those that AAC has, from 7350 to 96000.
    let rate: Int
    /// 1 or 2.
    let channels: Int
}
