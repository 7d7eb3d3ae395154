package import ZoomModel

/// The metadata of one frame of the preview, beside its JPEG.
package struct FrameFields: Sendable, Equatable {
    package var frame: Int
    package var exposedAt: String
    package var width: Int
    package var height: Int
    package var factor: Double
    package var optical: Double
    package var viewport: Viewport
    package var rev: Int
    package var boot: Int

    package init(
        frame: Int, exposedAt: String, width: Int, height: Int, factor: Double, optical: Double,
        viewport: Viewport, rev: Int, boot: Int
    ) {
        (self.frame, self.exposedAt, self.width, self.height) = (frame, exposedAt, width, height)
        (self.factor, self.optical, self.viewport) = (factor, optical, viewport)
        (self.rev, self.boot) = (rev, boot)
    }
}

extension FrameFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        frame = f("frame", \.frame, .count, "Number of the frame; it has gaps.")
        exposedAt = f("exposed_at", \.exposedAt, .stamp, "When it was exposed.")
        width = f("width", \.width, .pixels, "Pixels of the JPEG.")
        height = f("height", \.height, .pixels, "Pixels of the JPEG.")
        factor = f("factor", \.factor, .factor, "The zoom that it shows.")
        optical = f("optical", \.optical, .factor, "The lens's part, as far as known.")
        viewport = f("viewport", \.viewport, .any, "What it shows.")
        rev = f("rev", \.rev, .count, "Of the camera, before the frame.")
        boot = f("boot", \.boot, .from(1), "The agent's count of starts.")
    }
}

extension Form {
    /// The fields as an MQTT 5 message carries them beside other content: as texts. What is inside another
    /// field has a dot in its name.
    package var properties: [(name: String, value: String)] {
        json.object.map { Self.description.properties(of: $0, inside: "") } ?? []
    }
}

extension FormDescription {
    fileprivate func properties(of object: JSONObject, inside outer: String) -> [(
        name: String, value: String
    )] {
        fields.flatMap { field -> [(name: String, value: String)] in
            let name = outer + field.name
            return switch (field.kind, object[field.name]) {
            case (_, nil): []
            case (.object(let form?), .object(let inner)): form.properties(of: inner, inside: "\(name).")
            case (.number, let value?): [(name, "\(value.number ?? .nan)")]
            case (_, .text(let text)): [(name, text)]
            case (_, let value?): [(name, String(decoding: JSON.bytes(value), as: UTF8.self))]
            }
        }
    }
}
