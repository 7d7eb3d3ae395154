import Contract
import Settings
import Testing
import ZoomModel

struct CaptureSetTests {
    func read(_ json: String) throws -> CaptureSet {
        guard case .photos(let capture)? = try command(.capture, json).body.get() as? CaptureCommand else {
            throw NotACapture()
        }
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
        wanted.zoom = ZoomGoal(.position(0.5), rate: 2, anchor: Point(x: 0.5, y: 0.25))
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

    @Test func aButtonHasPhases() throws {
        #expect(
            try command(.capture, #"{"phase":"began"}"#).body.get() as? CaptureCommand
                == .press(PressSet(.began)))
        #expect(
            try command(.capture, #"{"phase":"ended","button":"secondary","remote":true}"#).body.get()
                as? CaptureCommand
                == .press(PressSet(.ended, .secondary, isRemote: true)))
    }

    @Test func theEndOfAPressHasTheFormOfItsPhoto() throws {
        let json = #"{"phase":"ended","reply":"image","quality":80,"size":{"height":240}}"#
        var press = PressSet(.ended)
        (press.photo.reply, press.photo.quality, press.photo.height) = (.image, 80, 240)
        #expect(
            try command(.capture, json).body.get() as? CaptureCommand
                == .press(press))
    }
}
