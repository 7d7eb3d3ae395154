package import ZoomModel

/// The metadata of a photo.
package struct PhotoFields: Sendable, Equatable, Codable {
    package var path: String
    var bytes: Int
    package var width: Int
    package var height: Int
    /// The JPEG's quality; nil when it is the camera's own, untouched or turned without loss.
    package var quality: Int?
    /// The zoom at its exposure.
    var factor: Double
    var viewport: Viewport
    /// The camera's count of frames.
    var frame: Int
    var exposedAt: String
    var requestedAt: String
    /// The camera's count of photos.
    package var sequence: Int
    /// The number of the photo in its series, from 1.
    package var index: Int
    package var of: Int
    /// From the time that the command was given to the exposure, in milliseconds; nil: it was given none.
    package var offset: Double?

    private enum CodingKeys: String, CodingKey {
        case path, bytes, width, height, quality, factor, viewport, frame, sequence, index, of
        case exposedAt = "exposed_at"
        case requestedAt = "requested_at"
        case offset = "at_offset_ms"
    }

    package init(
        path: String, bytes: Int, width: Int, height: Int, quality: Int?, factor: Double,
        viewport: Viewport, frame: Int, exposedAt: String, requestedAt: String, sequence: Int,
        index: Int, of: Int, offset: Double? = nil
    ) {
        (self.path, self.bytes, self.width, self.height) = (path, bytes, width, height)
        (self.quality, self.factor, self.viewport) = (quality, factor.forMessages, viewport.forMessages)
        (self.frame, self.exposedAt, self.requestedAt) = (frame, exposedAt, requestedAt)
        (self.sequence, self.index, self.of) = (sequence, index, of)
        self.offset = offset?.forMessages
    }

    /// The fields as an MQTT 5 message carries them beside a JPEG; what is inside another has a dot in its
    /// name.
    package var properties: [(name: String, value: String)] {
        var list: [(name: String, value: String)] = [
            ("path", path), ("bytes", "\(bytes)"), ("width", "\(width)"), ("height", "\(height)"),
            ("factor", "\(factor)"), ("viewport.x", "\(viewport.x)"), ("viewport.y", "\(viewport.y)"),
            ("viewport.width", "\(viewport.width)"), ("viewport.height", "\(viewport.height)"),
            ("frame", "\(frame)"), ("exposed_at", exposedAt), ("requested_at", requestedAt),
            ("sequence", "\(sequence)"), ("index", "\(index)"), ("of", "\(of)"),
        ]
        if let offset { list.append(("at_offset_ms", "\(offset)")) }
        if let quality { list.append(("quality", "\(quality)")) }
        return list
    }
}
