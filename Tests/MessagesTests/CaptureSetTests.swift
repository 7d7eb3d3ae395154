import Messages
import Testing

struct CaptureSetTests {
    func read(_ json: String) throws -> CaptureSet {
        guard case .capture(let capture) = try command(.capture, json).body.get() else { throw NotACapture() }
        return capture
    }

    struct NotACapture: Error {}

    @Test(arguments: ["", " \r\n\t", "{}", #"{"fresh":true}"#, #"{"id":"a","client":"b"}"#])
    func nothingIsOneFreshPhotoAsTheCameraMakesIt(json: String) throws {
        #expect(try read(json) == CaptureSet())
    }

    @Test func allOfItIsRead() throws {
        var wanted = CaptureSet()
        (wanted.quality, wanted.width, wanted.height) = (85, 640, 360)
        (wanted.count, wanted.intervalMilliseconds, wanted.reply) = (3, 250, .image)
        wanted.zoom = ZoomGoal(.position(0.5), rate: 2, anchor: Anchor(x: 0.5, y: 0.25))
        let json = """
            {"quality":85,"size":{"width":640,"height":360},"count":3,"interval_ms":250,"reply":"image","fresh":true,
             "zoom":{"position":0.5,"rate":2,"anchor":{"x":0.5,"y":0.25}}}
            """
        #expect(try read(json) == wanted)
    }

    @Test(arguments: [
        (#"{"max_age_ms":0}"#, 0), (#"{"max_age_ms":500,"fresh":false}"#, 500),
        (#"{"fresh":false}"#, 3_600_000),
    ])
    func aFrameMayBeOlder(json: String, age: Int) throws {
        #expect(try read(json).maximumAgeMilliseconds == age)
    }

    @Test(
        arguments: [
            (#"{"size":{"width":1}}"#, 1, nil), (#"{"size":{"height":16384}}"#, nil, 16_384),
        ] as [(String, Int?, Int?)])
    func aSizeMayLeaveOneSideOpen(json: String, width: Int?, height: Int?) throws {
        let capture = try read(json)
        #expect((capture.width, capture.height) == (width, height))
    }

    @Test(arguments: [
        (#"{"quality":0}"#, "quality"), (#"{"quality":101}"#, "quality"), (#"{"quality":"high"}"#, "quality"),
        (#"{"size":{}}"#, "size.width"), (#"{"size":640}"#, "size"), (#"{"size":{"width":0}}"#, "size.width"),
        (#"{"size":{"height":16385}}"#, "size.height"), (#"{"size":{"depth":1}}"#, "size.depth"),
        (#"{"count":0}"#, "count"), (#"{"count":101}"#, "count"), (#"{"count":1.5}"#, "count"),
        (#"{"interval_ms":-1}"#, "interval_ms"), (#"{"interval_ms":3600001}"#, "interval_ms"),
        (#"{"fresh":1}"#, "fresh"), (#"{"max_age_ms":-1}"#, "max_age_ms"),
        (#"{"max_age_ms":3600001}"#, "max_age_ms"),
        (#"{"fresh":true,"max_age_ms":5}"#, "max_age_ms"), (#"{"zoom":{}}"#, "zoom"),
        (#"{"zoom":2}"#, "zoom"),
        (#"{"zoom":{"factor":0}}"#, "zoom.factor"), (#"{"zoom":{"stop":true}}"#, "zoom.stop"),
        (#"{"zoom":{"factor":2,"anchor":{"x":true,"y":0}}}"#, "zoom.anchor.x"),
        (#"{"zoom":{"factor":2},"max_age_ms":5}"#, "zoom"), (#"{"zoom":{"factor":2},"fresh":false}"#, "zoom"),
        (#"{"reply":"jpeg"}"#, "reply"), (#"{"nosuch":1}"#, "nosuch"),
    ])
    func whatIsWrongIsNamed(json: String, field: String) {
        expectRefusal(.capture, json, field: field)
    }

    @Test func aButtonHasPhases() throws {
        #expect(try command(.capture, #"{"phase":"began"}"#).body.get() == .press(PressSet(.began)))
        #expect(
            try command(.capture, #"{"phase":"ended","button":"secondary","remote":true}"#).body.get()
                == .press(PressSet(.ended, .secondary, isRemote: true)))
    }

    @Test(arguments: [
        (#"{"button":"primary"}"#, "phase"), (#"{"remote":true}"#, "phase"),
        (#"{"phase":"changed"}"#, "phase"),
        (#"{"phase":"began","button":"third"}"#, "button"), (#"{"phase":"began","remote":1}"#, "remote"),
        (#"{"phase":"ended","quality":90}"#, "quality"), (#"{"phase":"ended","count":2}"#, "count"),
    ])
    func whatIsWrongWithAButtonIsNamed(json: String, field: String) {
        expectRefusal(.capture, json, field: field)
    }
}
