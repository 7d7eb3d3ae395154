/// The result of a recording: the file and its errors.
struct MovieResult: Sendable {
    let path: String
    /// The size of the file in bytes; 0: no frame was written, so there is no file.
    let bytes: Int
    /// Pictures in the file.
    let frames: Int
    /// From the first picture to the end of the last.
    let duration: Duration
    /// The library's name of the encoder; nil: the camera's own frames were stored.
    let encoder: String?
    /// The file is as it was recorded, in fragments, or without an index at its end: it plays, but not each
    /// player can seek in it.
    let isProvisional: Bool
    /// The error that ended the recording, kept its end from being written, or keeps the disk from having the
    /// file and its name.
    let failure: MovieError?
    /// Why the complete file is provisional: the error of the conversion to a file without fragments.
    let finalizationError: MovieError?
}
