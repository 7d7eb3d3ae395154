package import ZoomModel

/// How a photo looks, and how it is answered.
package struct PhotoLook: Sendable, Equatable, Form {
    package enum ReplyKind: String, Sendable, FieldWord {
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
    package var reply = ReplyKind.metadata

    init() {}

    package init(_ f: inout some FormVisitor<Self>) {
        quality = f.maybe("quality", \.quality, .within(1...100), "JPEG quality.")
        let size = f.maybe(
            "size", { Bounds($0) }, .any,
            "The photo fits into it, in its proportions.")
        (width, height) = (size?.width, size?.height)
        reply = f(
            "reply", \.reply, .any, default: .metadata,
            "`image`: the answer is the JPEG.")
    }

    private struct Bounds: Form {
        let width: Int?
        let height: Int?

        init?(_ look: PhotoLook) {
            if look.width == nil, look.height == nil { return nil }
            (width, height) = (look.width, look.height)
        }

        init(_ f: inout some FormVisitor<Self>) {
            width = f.maybe("width", \.width, .within(1...16_384), "")
            height = f.maybe("height", \.height, .within(1...16_384), "")
            f.demand(
                someOf: ["width", "height"], field: "width", "at least one of width and height is required.")
        }
    }
}

/// Photos: how many, when and how.
@dynamicMemberLookup
package struct CaptureSet: Sendable, Equatable, Form {
    package typealias ReplyKind = PhotoLook.ReplyKind

    package var look = PhotoLook()
    /// How many photos, 1…100.
    package var count = 1
    /// From one exposure to the next, in milliseconds.
    package var intervalMilliseconds = 0
    /// How old the frame may be, in milliseconds; nil: exposed after the request, with the zoom settled.
    package var maximumAgeMilliseconds: Int?
    /// The zoom to set before the first photo; nil: none.
    package var zoom: ZoomGoal?

    package init() {}

    package subscript<Value>(dynamicMember part: WritableKeyPath<PhotoLook, Value>) -> Value {
        get { look[keyPath: part] }
        set { look[keyPath: part] = newValue }
    }

    /// How many of the photos are due within a minute of the first.
    var countInAMinute: Int {
        intervalMilliseconds == 0 ? count : min(count, 60_000 / intervalMilliseconds + 1)
    }

    /// From the first to the last photo of a series, in milliseconds: a day.
    private static let longestSeries = 86_400_000
    private static let oldest = 3_600_000

    package init(_ f: inout some FormVisitor<Self>) {
        look = f.group(\.look)
        let count = f("count", \.count, .within(1...100), default: 1, "Number of photos.")
        let interval = f(
            "interval_ms", \.intervalMilliseconds, .within(0...3_600_000), default: 0,
            "Milliseconds between two photos; a day from the first to the last at most.")
        (self.count, intervalMilliseconds) = (count, interval)
        let duration = (count - 1) * interval
        f.check(
            duration <= Self.longestSeries, "interval_ms",
            "a series lasts at most \(Self.longestSeries) ms; \(count) photos would last \(duration).")
        let fresh =
            f.maybe(
                "fresh", { _ in nil }, .any,
                "`true`, the default: exposed after the request, with the zoom settled; `false`: the newest frame of the last hour."
            ) as Bool?
        let age = f.maybe(
            "max_age_ms", \.maximumAgeMilliseconds, .within(0...Self.oldest),
            "Instead of `fresh`: a frame not older than this, if there is one.")
        maximumAgeMilliseconds = fresh == false ? age ?? Self.oldest : age
        zoom = f.maybe(
            "zoom", \.zoom, .any, "Set before the photo; not with older frames.")
        f.refuse(["max_age_ms"], when: .equal("fresh", .flag(true)), "not allowed with fresh:true.")
        for condition in [FieldCondition.given("max_age_ms"), .equal("fresh", .flag(false))] {
            f.refuse(
                ["zoom"], when: condition,
                "an older frame can't show the requested zoom; omit fresh and max_age_ms.")
        }
    }
}
