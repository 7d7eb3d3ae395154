package import ZoomModel

/// The payload of `capture/set`: empty, or the options of the photos.
package struct CaptureSet: Sendable, Equatable {
    package enum ReplyForm: String, Sendable, CaseIterable {
        /// The answer has the metadata of the photo.
        case metadata
        /// The answer is the JPEG.
        case image
    }

    /// The JPEG's quality, 1…100; nil: the camera's own encoding where the picture can be left as it is.
    package var quality: Int?
    /// The maximum width and height of the picture in pixels.
    package var width: Int?
    package var height: Int?
    /// How many photos, 1…100.
    package var count = 1
    /// From one exposure to the next, in milliseconds.
    package var intervalMilliseconds = 0
    /// How old the frame may be, in milliseconds; nil: exposed after the request, with the zoom settled.
    package var maximumAgeMilliseconds: Int?
    /// The zoom to set before the first photo; nil: none.
    package var zoom: ZoomGoal?
    package var reply = ReplyForm.metadata

    package init() {}

    /// From the first to the last photo of a series, in milliseconds: a day.
    static let longestSeries = 86_400_000

    init(_ fields: inout Fields) throws(CommandError) {
        try readForm(&fields)
        count = try fields.integer("count", in: 1...100) ?? 1
        intervalMilliseconds = try fields.integer("interval_ms", in: 0...3_600_000) ?? 0
        let duration = (count - 1) * intervalMilliseconds
        if duration > Self.longestSeries {
            throw fields.error(
                "interval_ms",
                "a series lasts at most \(Self.longestSeries) ms; \(count) photos would last \(duration)."
            )
        }
        let fresh = try fields.bool("fresh")
        maximumAgeMilliseconds = try fields.integer("max_age_ms", in: 0...3_600_000)
        zoom = try fields.object("zoom", ZoomGoal.readWhole)
        if fresh == true && maximumAgeMilliseconds != nil {
            throw fields.error("max_age_ms", "not allowed with fresh:true.")
        }
        if fresh == false && maximumAgeMilliseconds == nil { maximumAgeMilliseconds = 3_600_000 }
        if zoom != nil && maximumAgeMilliseconds != nil {
            throw fields.error(
                "zoom", "an older frame can't show the requested zoom; omit fresh and max_age_ms.")
        }
    }

    /// Reads what says how the photo looks and is answered, not when and what is taken.
    mutating func readForm(_ fields: inout Fields) throws(CommandError) {
        quality = try fields.integer("quality", in: 1...100)
        if let size = try fields.object("size", Self.readSize) { (width, height) = size }
        reply = try fields.word("reply", of: ReplyForm.self) ?? .metadata
    }

    private static func readSize(_ fields: inout Fields) throws(CommandError) -> (width: Int?, height: Int?) {
        let width = try fields.integer("width", in: 1...16_384)
        let height = try fields.integer("height", in: 1...16_384)
        if width == nil && height == nil {
            try fields.refuseOthers()
            throw fields.error("width", "at least one of width and height is required.")
        }
        return (width, height)
    }
}
