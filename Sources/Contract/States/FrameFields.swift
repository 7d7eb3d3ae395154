package import ZoomModel

/// The metadata of one frame of the preview.
package struct FrameFields: Sendable, Equatable {
    /// The camera's count of frames.
    package var frame: Int
    package var exposedAt: String
    /// Pixels of the JPEG.
    package var width: Int
    package var height: Int
    /// The zoom that is shown: `optical` × 1 / `viewport.width`.
    package var factor: Double
    /// The factor of the lens at the exposure.
    package var optical: Double
    /// The part of the lens's frame that is shown.
    package var viewport: Viewport
    /// The camera's last change before the picture was cut out.
    package var rev: Int
    package var boot: Int

    package init(
        frame: Int, exposedAt: String, width: Int, height: Int, factor: Double, optical: Double,
        viewport: Viewport, rev: Int, boot: Int
    ) {
        (self.frame, self.exposedAt, self.width, self.height) = (frame, exposedAt, width, height)
        (self.factor, self.optical) = (factor.forMessages, optical.forMessages)
        (self.viewport, self.rev, self.boot) = (viewport.forMessages, rev, boot)
    }

    /// The fields as an MQTT 5 message carries them beside a JPEG.
    package var properties: [(name: String, value: String)] {
        [
            ("frame", "\(frame)"), ("exposed_at", exposedAt), ("width", "\(width)"), ("height", "\(height)"),
            ("factor", "\(factor)"), ("optical", "\(optical)"),
            ("viewport.x", "\(viewport.x)"), ("viewport.y", "\(viewport.y)"),
            ("viewport.width", "\(viewport.width)"), ("viewport.height", "\(viewport.height)"),
            ("rev", "\(rev)"), ("boot", "\(boot)"),
        ]
    }
}
