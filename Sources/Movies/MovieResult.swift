/// What became of a movie.
package struct MovieResult: Sendable {
    package let path: String
    /// Bytes of the file; 0: there is none, as not a single frame was written.
    package let bytes: Int
    /// Pictures in the file.
    package let frames: Int
    /// From the first picture to the end of the last.
    package let duration: Duration
    /// What encoded the pictures, as the library calls it; nil: they are as the camera made them.
    package let encoder: String?
    /// The file is as it was recorded, in fragments, or without an index at its end: it plays, but not each
    /// player can seek in it.
    package let isProvisional: Bool
    /// What ended it, or keeps its end from being there.
    package let trouble: MovieError?
    /// Why it is provisional, when all of it is there.
    package let untidiness: MovieError?
}
