package import ZoomModel

/// Quality, size and rate of the frames.
package struct SessionFields: Sendable, Equatable, Codable {
    /// The requested name that was applied.
    package var quality: String
    package var width: Int
    package var height: Int
    /// Frames per second, as the driver reports it.
    package var rate: Double
    package var pixelFormat: String

    private enum CodingKeys: String, CodingKey {
        case quality, width, height
        case rate = "fps"
        case pixelFormat = "pixel_format"
    }

    package init(quality: String, width: Int, height: Int, rate: Double, pixelFormat: String) {
        (self.quality, self.width, self.height) = (quality, width, height)
        (self.rate, self.pixelFormat) = (rate, pixelFormat)
    }
}

/// The state of `session`.
package struct SessionState: Sendable, Equatable, Codable {
    package var quality: String
    package var width: Int
    package var height: Int
    package var fps: Double
    package var pixelFormat: String
    package var rev: Int
    package var boot: Int
    package var origin: Origin
    package var ts: String

    private enum CodingKeys: String, CodingKey {
        case quality, width, height, fps
        case pixelFormat = "pixel_format"
        case rev, boot, origin, ts
    }

    package init(_ fields: SessionFields, rev: Int, boot: Int, origin: Origin, ts: String) {
        (quality, width, height, fps) = (fields.quality, fields.width, fields.height, fields.rate)
        pixelFormat = fields.pixelFormat
        (self.rev, self.boot, self.origin, self.ts) = (rev, boot, origin, ts)
    }
}
