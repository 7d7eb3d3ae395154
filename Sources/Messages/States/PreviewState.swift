/// The state of `preview` while somebody looks; otherwise it is `null`.
package struct PreviewState: Sendable, Equatable, Codable {
    /// Frames per second and pixels: the most that somebody asked for.
    package var fps: Double
    package var width: Int
    /// When the last lease ends by itself.
    package var until: String
    /// Who looks, as far as they gave a name.
    package var clients: [String]
    /// Whether a frame has come out since somebody began to look, and the camera is there.
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
