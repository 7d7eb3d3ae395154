package import ZoomModel

/// The metadata of a photo.
package struct PhotoFields: Sendable, Equatable {
    package var path: String
    var bytes: Int
    package var width: Int
    package var height: Int
    package var quality: Int?
    var factor: Double
    var viewport: Viewport
    var frame: Int
    var exposedAt: String
    var requestedAt: String
    package var sequence: Int
    package var index: Int
    package var of: Int
    package var offset: Double?

    package init(
        path: String, bytes: Int, width: Int, height: Int, quality: Int?, factor: Double,
        viewport: Viewport, frame: Int, exposedAt: String, requestedAt: String, sequence: Int,
        index: Int, of: Int, offset: Double? = nil
    ) {
        (self.path, self.bytes, self.width, self.height) = (path, bytes, width, height)
        // Rounded here too: a photo that was saved is equal to itself when it is read.
        (self.quality, self.factor, self.viewport) = (quality, factor.forMessages, viewport.forMessages)
        (self.frame, self.exposedAt, self.requestedAt) = (frame, exposedAt, requestedAt)
        (self.sequence, self.index, self.of, self.offset) = (sequence, index, of, offset?.forMessages)
    }
}

extension PhotoFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        path = f("path", \.path, .filled, "On the agent's machine.")
        bytes = f("bytes", \.bytes, .from(1), "Size of the file.")
        width = f("width", \.width, .pixels, "Pixels.")
        height = f("height", \.height, .pixels, "Pixels.")
        quality = f.maybe(
            "quality", \.quality, .within(1...100), "Absent: the camera's own JPEG.")
        factor = f("factor", \.factor, .factor, "The zoom at its exposure.")
        viewport = f("viewport", \.viewport, .any, "What was in view.")
        frame = f("frame", \.frame, .count, "Number of the frame.")
        sequence = f("sequence", \.sequence, .from(1), "Number of the photo, over restarts.")
        index = f("index", \.index, .from(1), "Of the command's photos.")
        of = f("of", \.of, .within(1...100), "Photos of the command.")
        exposedAt = f("exposed_at", \.exposedAt, .stamp, "When it was exposed.")
        requestedAt = f("requested_at", \.requestedAt, .stamp, "When the command came.")
        offset = f.maybe(
            "at_offset_ms", \.offset, .any.rounded,
            "From `at` to the exposure.")
    }
}
