import Testing

@testable import Cameras
@testable import Settings

/// The mode that a quality gives.
struct QualityTests {
    typealias Format = CameraDescription.Format

    static func format(_ letters: String, _ width: Int, _ height: Int, _ rates: Double...) -> Format {
        Format(pixelFormat: letters, width: width, height: height, rates: rates)
    }

    /// A webcam on USB 2: large uncompressed frames are slow. Its H.264 cannot be used for photos.
    static let webcam = [
        format("YUYV", 640, 480, 30, 15), format("YUYV", 1280, 720, 10), format("YUYV", 2304, 1536, 2),
        format("H264", 3840, 2160, 30), format("MJPG", 320, 240, 30), format("MJPG", 640, 480, 30, 15),
        format("MJPG", 1280, 720, 60, 30), format("MJPG", 1920, 1080, 30, 24), format("MJPG", 2592, 1944, 15),
    ]
    static let fourByThree = [
        format("YUYV", 320, 240, 30), format("YUYV", 640, 480, 30), format("YUYV", 800, 600, 20),
        format("YUYV", 1600, 1200, 5),
    ]
    static let fourK = [format("MJPG", 1920, 1080, 60), format("MJPG", 3840, 2160, 30)]
    static let single = [format("MJPG", 1024, 768, 25)]
    /// Any size in steps, and any rate.
    static let sensor = [
        Format(
            pixelFormat: "YU12", width: 3280, height: 2464, rates: [90], slowestRate: 1,
            range: .init(minWidth: 32, minHeight: 32, widthStep: 2, heightStep: 2)),
        Format(
            pixelFormat: "GREY", width: 3280, height: 2464, rates: [90],
            range: .init(minWidth: 32, minHeight: 32, widthStep: 32, heightStep: 16)),
    ]
    /// A range of sizes and a single size.
    static let mixed = [
        Format(
            pixelFormat: "YUYV", width: 1280, height: 1280, rates: [30],
            range: .init(minWidth: 640, minHeight: 480, widthStep: 16, heightStep: 16)),
        format("MJPG", 1920, 1080, 30),
    ]

    /// Without JPEGs: the large uncompressed frames are slow.
    static let encoder = [
        format("YUYV", 640, 480, 30), format("YUYV", 1280, 720, 15), format("YUYV", 1920, 1080, 5),
        format("H264", 640, 480, 30), format("H264", 1280, 720, 30), format("H264", 1920, 1080, 30, 15),
    ]

    struct Case: CustomTestStringConvertible {
        let camera: String
        let formats: [Format]
        var pixelFormat: String?
        var limits = (1920, 1080)
        /// The mode of each quality that the camera has.
        let modes: [String: String]

        var testDescription: String { "\(camera) \(limits) \(pixelFormat ?? "")" }
    }

    static let cases = [
        Case(
            camera: "webcam", formats: webcam,
            modes: [
                "low": "MJPG 320x240@30", "medium": "MJPG 640x480@30", "high": "MJPG 1920x1080@30",
                "hd1280x720": "MJPG 1280x720@30", "hd1920x1080": "MJPG 1920x1080@30",
                "2592x1944": "MJPG 2592x1944@15", "2304x1536": "YUYV 2304x1536@2",
                "640x480": "MJPG 640x480@30",
            ]),
        Case(
            camera: "webcam", formats: webcam, limits: (1280, 720),
            modes: [
                "low": "MJPG 320x240@30", "medium": "MJPG 640x480@30", "high": "MJPG 1280x720@30",
                "hd1280x720": "MJPG 1280x720@30", "hd1920x1080": "MJPG 1920x1080@30",
            ]),
        Case(
            camera: "webcam", formats: webcam, limits: (320, 240),
            modes: [
                "low": "MJPG 320x240@30", "medium": "MJPG 320x240@30", "high": "MJPG 320x240@30",
                "hd1280x720": "MJPG 1280x720@30", "hd1920x1080": "MJPG 1920x1080@30",
            ]),
        Case(
            camera: "webcam", formats: webcam, pixelFormat: "YUYV",
            modes: [
                "low": "YUYV 640x480@30", "medium": "YUYV 640x480@30", "high": "YUYV 640x480@30",
                "hd1280x720": "YUYV 1280x720@10", "2304x1536": "YUYV 2304x1536@2",
            ]),
        Case(camera: "webcam", formats: webcam, pixelFormat: "NV12", modes: [:]),
        Case(
            camera: "encoder", formats: encoder,
            modes: [
                "low": "YUYV 640x480@30", "medium": "YUYV 640x480@30", "high": "H264 1920x1080@30",
                "hd1280x720": "H264 1280x720@30", "hd1920x1080": "H264 1920x1080@30",
                "640x480": "YUYV 640x480@30",
            ]),
        Case(
            camera: "encoder", formats: encoder, pixelFormat: "YUYV",
            modes: [
                "low": "YUYV 640x480@30", "medium": "YUYV 640x480@30", "high": "YUYV 1280x720@15",
                "hd1280x720": "YUYV 1280x720@15", "hd1920x1080": "YUYV 1920x1080@5",
                "640x480": "YUYV 640x480@30",
            ]),
        Case(
            camera: "4:3", formats: fourByThree,
            modes: [
                "low": "YUYV 320x240@30", "medium": "YUYV 640x480@30", "high": "YUYV 800x600@20",
                "1600x1200": "YUYV 1600x1200@5",
            ]),
        Case(
            camera: "4K", formats: fourK,
            modes: [
                "low": "MJPG 1920x1080@60", "medium": "MJPG 1920x1080@60", "high": "MJPG 1920x1080@60",
                "hd1920x1080": "MJPG 1920x1080@60", "hd4K3840x2160": "MJPG 3840x2160@30",
            ]),
        Case(
            camera: "one size", formats: single,
            modes: [
                "low": "MJPG 1024x768@25", "medium": "MJPG 1024x768@25", "high": "MJPG 1024x768@25",
                "1024x768": "MJPG 1024x768@25",
            ]),
        Case(
            camera: "sensor", formats: sensor,
            modes: [
                "low": "YU12 352x198@30", "medium": "YU12 640x360@30", "high": "YU12 1920x1080@30",
                "hd1280x720": "YU12 1280x720@30", "hd1920x1080": "YU12 1920x1080@30",
                "640x360": "YU12 640x360@30", "34x32": "YU12 34x32@30", "3280x2464": "YU12 3280x2464@30",
            ]),
        Case(
            camera: "sensor", formats: sensor, pixelFormat: "GREY",
            modes: [
                "low": "GREY 352x192@90", "medium": "GREY 640x352@90", "high": "GREY 1920x1072@90",
                "hd1280x720": "GREY 1280x720@90", "640x368": "GREY 640x368@90",
            ]),
        Case(
            camera: "range and sizes", formats: mixed,
            modes: [
                "low": "YUYV 640x480@30", "medium": "YUYV 640x480@30", "high": "MJPG 1920x1080@30",
                "hd1280x720": "YUYV 1280x720@30", "hd1920x1080": "MJPG 1920x1080@30",
                "1280x1280": "YUYV 1280x1280@30",
            ]),
        Case(camera: "none", formats: [], modes: [:]),
    ]

    static let namesAlwaysAsked = ["low", "medium", "high", "hd1280x720", "hd1920x1080", "hd4K3840x2160"]
    static let sizesThatNoneHas = ["641x480", "33x32", "30x30", "4000x3000", "640x361", "16x16"]

    @Test(arguments: cases) func theModeOfEachQuality(of known: Case) throws {
        let limits = DeviceSettings(
            width: known.limits.0, height: known.limits.1, pixelFormat: known.pixelFormat)
        for name in Set(Self.namesAlwaysAsked + Self.sizesThatNoneHas + known.modes.keys) {
            let quality = try #require(Quality(name: name))
            let mode = known.formats.mode(for: quality, within: limits)?.mode.words
            #expect(mode == known.modes[name], "\(name)")
        }
        let high = known.formats.best(within: limits)
        #expect(known.modes["high"]?.hasPrefix(high?.words ?? "") ?? (high == nil))
    }

    @Test(arguments: cases) func everyListedQualityHasAMode(of known: Case) throws {
        let limits = DeviceSettings(
            width: known.limits.0, height: known.limits.1, pixelFormat: known.pixelFormat)
        let names = known.formats.qualities(within: limits)
        #expect(Set(names).count == names.count)
        for name in names {
            let quality = try #require(Quality(name: name))
            #expect(known.formats.mode(for: quality, within: limits) != nil, "\(name)")
        }
        for name in Self.namesAlwaysAsked { #expect(names.contains(name) == (known.modes[name] != nil)) }
    }

    /// The limits of `low`, `medium` and `high` are preferences: see ``Quality/low``.
    @Test(arguments: [
        // None fits: the smallest of those with 15 frames per second or more, though another one is smaller.
        ("low", [format("MJPG", 640, 480, 5), format("MJPG", 1280, 720, 15)], "MJPG 1280x720@15"),
        ("low", [format("MJPG", 640, 480, 15), format("MJPG", 1280, 720, 30)], "MJPG 640x480@15"),
        // None fits and none is that fast: the smallest.
        ("low", [format("MJPG", 1280, 720, 10), format("MJPG", 640, 480, 5)], "MJPG 640x480@5"),
        // A slow one that fits comes before a fast one that does not.
        ("low", [format("MJPG", 320, 240, 5), format("MJPG", 640, 480, 30)], "MJPG 320x240@5"),
        // Of those that fit, a fast one comes before a larger one.
        ("low", [format("MJPG", 352, 288, 10), format("MJPG", 160, 120, 15)], "MJPG 160x120@15"),
        // Both sides have to fit, whatever the number of pixels.
        ("low", [format("MJPG", 400, 200, 30), format("MJPG", 320, 180, 30)], "MJPG 320x180@30"),
        ("medium", [format("MJPG", 800, 600, 30), format("MJPG", 1280, 720, 30)], "MJPG 800x600@30"),
        ("high", [format("MJPG", 3840, 2160, 30), format("MJPG", 2560, 1440, 30)], "MJPG 2560x1440@30"),
        // A driver that lists no rates counts as fast.
        ("low", [format("MJPG", 640, 480), format("MJPG", 1280, 720, 30)], "MJPG 640x480@30"),
    ])
    func whatFitsIsPreferredAndNotRequired(_ name: String, _ formats: [Format], _ mode: String) throws {
        let quality = try #require(Quality(name: name))
        #expect(formats.mode(for: quality, within: .init())?.mode.words == mode)
    }

    @Test func theNamedOnesComeFirstThenTheSizesFromLargeToSmall() {
        #expect(
            Self.webcam.qualities(within: .init()) == [
                "low", "medium", "high", "hd1280x720", "hd1920x1080", "2592x1944", "2304x1536", "1920x1080",
                "1280x720", "640x480", "320x240",
            ])
        #expect(
            Self.sensor.qualities(within: .init()) == [
                "low", "medium", "high", "hd1280x720", "hd1920x1080", "3280x2464",
            ])
        #expect([Format]().qualities(within: .init()).isEmpty)
    }

    /// Only JPEGs can have an odd size: they are used as the camera encoded them.
    @Test func anOddSizeIsForJPEGsOnly() {
        let odd = [Self.format("MJPG", 641, 481, 30), Self.format("YUYV", 333, 333, 30)]
        #expect(odd.qualities(within: .init()) == ["low", "medium", "high", "641x481"])
    }

    @Test(arguments: [
        ("hd1280x720", 60.0, "MJPG 1280x720@60", false), ("hd1280x720", 29.9, "MJPG 1280x720@30", false),
        ("hd1280x720", 120, "MJPG 1280x720@60", true), ("hd1280x720", 5, "MJPG 1280x720@30", true),
        // Only the uncompressed format has this rate.
        ("hd1280x720", 10, "YUYV 1280x720@10", false), ("medium", 22.5, "MJPG 640x480@30", false),
        ("medium", 17, "MJPG 640x480@15", false), ("high", 5, "MJPG 1920x1080@24", true),
    ])
    func theRateNearestToTheRequestedOne(_ name: String, _ rate: Double, _ mode: String, _ isClamped: Bool)
        throws
    {
        let quality = try #require(Quality(name: name))
        let choice = try #require(Self.webcam.mode(for: quality, rate: rate, within: .init()))
        #expect((choice.mode.words, choice.isClamped) == (mode, isClamped))
    }

    /// Without JPEGs, uncompressed frames are preferred to H.264 where they have the size and the rate.
    @Test(arguments: [
        ("hd1280x720", 15.0, "YUYV 1280x720@15"), ("hd1280x720", 10, "YUYV 1280x720@15"),
        ("hd1280x720", 30, "H264 1280x720@30"), ("hd1920x1080", 5, "YUYV 1920x1080@5"),
        ("high", 5, "H264 1920x1080@15"), ("medium", 15, "YUYV 640x480@30"),
    ])
    func videoIsForSizesAndRatesThatUncompressedFramesDoNotHave(
        _ name: String, _ rate: Double, _ mode: String
    ) throws {
        let quality = try #require(Quality(name: name))
        #expect(Self.encoder.mode(for: quality, rate: rate, within: .init())?.mode.words == mode)
    }

    /// Nor where the configured rate is reached.
    @Test(arguments: [(15.0, "YUYV 1280x720@15"), (30, "H264 1280x720@30")])
    func withoutARequestedRateTheConfiguredOneDecides(rate: Double, mode: String) {
        let limits = DeviceSettings(width: 1280, height: 720, rate: rate)
        #expect(Self.encoder.mode(for: .high, within: limits)?.mode.words == mode)
        #expect(Self.encoder.best(within: limits)?.pixelFormat == String(mode.prefix(4)))
    }

    @Test(arguments: [(17.5, 17.5, false), (0.5, 1, true), (0.999, 1, false), (200, 90, true)])
    func aRangeOfRatesHasEachOfThem(rate: Double, given: Double, isClamped: Bool) throws {
        let choice = try #require(Self.sensor.mode(for: .medium, rate: rate, within: .init()))
        #expect((choice.mode.rate, choice.isClamped) == (given, isClamped))
    }

    @Test func theConfiguredRateIsNeverOutOfRange() throws {
        let choice = try #require(Self.single.mode(for: .high, within: .init(rate: 60)))
        #expect((choice.mode.rate, choice.isClamped) == (25, false))
    }

    /// A driver may list no rates.
    @Test func withoutListedRatesTheRequestedOneIsTried() throws {
        let formats = [Format(pixelFormat: "YUYV", width: 640, height: 480, rates: [])]
        let choice = try #require(formats.mode(for: .high, rate: 12, within: .init()))
        #expect((choice.mode.rate, choice.isClamped) == (12, false))
        #expect(formats.mode(for: .high, within: .init(rate: 25))?.mode.rate == 25)
    }

    @Test(arguments: namesAlwaysAsked + ["640x360", "1x1", "65535x65535"])
    func aNameIsReadAsItIsWritten(name: String) {
        #expect(Quality(name: name)?.name == name)
    }

    @Test(arguments: [
        "", "x", "High", "hd", "hd640x360", "640", "640x", "x360", "640x360x1", "0x360", "640x0", "-640x360",
        "+640x360", "0640x360", "640 x360", "640X360", "65536x2", "640.5x360", "99999999999999999999x2",
        "640×360",
    ])
    func otherNamesAreRefused(name: String) {
        #expect(Quality(name: name) == nil)
    }

    @Test(arguments: [(1e308, 1_000.0, true), (1e-300, 0.01, true), (12.5, 12.5, false)])
    func aRateBeyondV4L2sFractionsIsClamped(wanted: Double, rate: Double, isClamped: Bool) throws {
        // The driver lists no rates.
        let formats = [Self.format("MJPG", 640, 480)]
        let choice = try #require(
            formats.mode(for: .high, rate: wanted, within: .init(width: 1920, height: 1080)))
        #expect(choice.mode.rate == rate && choice.isClamped == isClamped)
    }
}

extension CameraMode {
    var words: String { "\(pixelFormat) \(width)x\(height)@\(rate.formatted)" }
}

extension CameraDescription.Format {
    fileprivate var words: String { "\(pixelFormat) \(width)x\(height)@" }
}

extension Double {
    fileprivate var formatted: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
