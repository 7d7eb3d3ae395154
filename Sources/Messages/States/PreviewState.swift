/// The state of `preview` while a client has a preview; otherwise `null`.
package struct PreviewState: Sendable, Equatable, Codable {
    /// Frames per second and pixels: the maximum that was requested.
    package var fps: Double
    package var width: Int
    /// When the last lease ends by itself.
    package var until: String
    /// The clients that have a preview, if they gave a name.
    package var clients: [String]
    /// Whether a frame was published since the preview began, and the camera is present.
    package var live: Bool
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(
        fps: Double, width: Int, until: String, clients: [String], live: Bool, rev: Int, boot: Int, ts: String
    ) {
        (self.fps, self.width, self.until, self.clients) = (fps, width, until, clients)
        self.live = live
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}
