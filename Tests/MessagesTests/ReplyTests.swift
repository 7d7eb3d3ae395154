import Contract
import Testing

@testable import ZoomModel

/// Answers, events, and what goes with a photo.
struct ReplyTests {
    private static let ts = "2026-11-21T09:05:38.958Z"

    @Test(arguments: [
        (Reply.Status.accepted, "accepted"), (.done, "done"), (.superseded, "superseded"), (.error, "error"),
    ])
    func whatIsNotThereIsLeftOut(status: Reply.Status, word: String) {
        expect(Reply(status, boot: 7, ts: Self.ts), is: #"{"status":"\#(word)","boot":7,"ts":"\#(Self.ts)"}"#)
    }

    @Test func anAnswerToAZoom() {
        var reply = Reply(.done, boot: 7, ts: Self.ts)
        (reply.id, reply.client, reply.camera, reply.node) = ("a1", "phone", "door", "zoom")
        (reply.rev, reply.clamped, reply.factor, reply.target) = (118, true, 8, 8)
        expect(
            reply,
            is: """
                {"id":"a1","client":"phone","camera":"door","node":"zoom","status":"done","rev":118,"boot":7,
                 "clamped":true,"factor":8,"target":8,"ts":"\(Self.ts)"}
                """, on: "camera/zoom/reply")
    }

    @Test func anAnswerToACaptureAndToControls() {
        var reply = Reply(.done, boot: 7, ts: Self.ts)
        reply.photos = [.example]
        reply.values = ["brightness": .number(-0.333), "autofocus": .flag(false)]
        expect(
            reply,
            is: """
                {"status":"done","boot":7,"photos":[\(PhotoFields.exampleJSON)],
                 "values":{"brightness":-0.333,"autofocus":false},"ts":"\(Self.ts)"}
                """, on: "camera/capture/reply")
    }

    @Test func aRefusal() {
        var reply = Reply(.error, boot: 7, ts: Self.ts)
        reply.error = CommandError(.badPayload, "factor: too \"wide\".", field: "factor")
        expect(
            reply,
            is: #"""
                {"status":"error","boot":7,
                 "error":{"code":"bad_payload","message":"factor: too \"wide\".","field":"factor"},"ts":"\#(Self.ts)"}
                """#, on: "camera/zoom/reply")
        reply.error = CommandError(.busy, "Wait.")
        expect(
            reply,
            is: #"{"status":"error","boot":7,"error":{"code":"busy","message":"Wait."},"ts":"\#(Self.ts)"}"#,
            on: "camera/zoom/reply")
    }

    @Test func theCodesAreThoseOfTheContract() {
        #expect(
            Set(CommandError.Code.allCases.map(\.rawValue)) == [
                "bad_payload", "bad_topic", "unproved", "unsupported", "unavailable", "stale", "duplicate",
                "conflict", "private", "forbidden", "held", "busy", "cancelled", "too_large", "rate_limited",
                "storage_full", "device", "internal",
            ])
    }

    @Test func aConflictComesWithTheStateAsItIs() {
        var reply = Reply(.error, boot: 7, ts: Self.ts)
        reply.error = CommandError(.conflict, "Read the state.")
        let zoom = ZoomState(
            factor: 2, target: 2, ramping: false, min: 1, max: 8, position: 0, optical: 2, digital: 1,
            viewport: Viewport(x: 0, y: 0, width: 1, height: 1), origin: Origin(kind: .external))
        reply.state = Stamped(zoom, Stamp(rev: 9, boot: 7, origin: zoom.origin, ts: Self.ts))
        expect(
            reply,
            is: """
                {"status":"error","boot":7,"error":{"code":"conflict","message":"Read the state."},"ts":"\(Self.ts)","state":
                 {"factor":2,"target":2,"ramping":false,"min":1,"max":8,"position":0,"optical":2,"digital":1,
                  "viewport":{"x":0,"y":0,"width":1,"height":1},"rev":9,"boot":7,"origin":{"kind":"external"},"ts":"\(Self.ts)"}}
                """, on: "camera/zoom/reply")
    }

    @Test func events() {
        var shutter = Event(.shutter, boot: 7, ts: Self.ts)
        (shutter.photo, shutter.client, shutter.proved) = (.example, "phone", true)
        expect(
            shutter,
            is: """
                {"event":"shutter","photo":\(PhotoFields.exampleJSON),"client":"phone","proved":true,"boot":7,
                 "ts":"\(Self.ts)"}
                """, on: "camera/event")
        var refused = Event(.refused, boot: 7, ts: Self.ts)
        (refused.node, refused.id, refused.error) = ("zoom", "a1", CommandError(.stale, "Too late."))
        expect(
            refused,
            is: """
                {"event":"refused","node":"zoom","error":{"code":"stale","message":"Too late."},"id":"a1","boot":7,
                 "ts":"\(Self.ts)"}
                """, on: "camera/event")
    }

    @Test func aPhotoThatIsTheCamerasOwnHasNoQuality() {
        var photo = PhotoFields.example
        photo.quality = nil
        expect(photo, is: PhotoFields.exampleJSON.replacing(#""quality":85,"#, with: ""))
    }

    @Test func aFrameOfThePreviewIsPropertiesBesideAJPEG() {
        let fields = FrameFields(
            frame: 7, exposedAt: "2026-11-21T09:05:38.958Z", width: 640, height: 360, factor: 5, optical: 2.5,
            viewport: Viewport(x: 0.25, y: 1 / 3, width: 0.5, height: 0.5), rev: 12, boot: 3)
        #expect(
            fields.properties.map { "\($0.name)=\($0.value)" } == [
                "frame=7", "exposed_at=2026-11-21T09:05:38.958Z", "width=640", "height=360", "factor=5.0",
                "optical=2.5", "viewport.x=0.25", "viewport.y=0.333333", "viewport.width=0.5",
                "viewport.height=0.5", "rev=12", "boot=3",
            ])
    }

    @Test func besideAJPEGThePhotoIsPropertiesByTheSameNames() {
        let list = PhotoFields.example.properties
        let properties = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0.value) })
        #expect(properties.count == list.count)
        #expect(
            properties == [
                "path": "door/42.jpg", "bytes": "123456", "width": "1920", "height": "1080", "quality": "85",
                "factor": "2.5", "viewport.x": "0.25", "viewport.y": "0.125", "viewport.width": "0.5",
                "viewport.height": "0.5", "frame": "7", "exposed_at": "2026-11-21T09:05:38.958Z",
                "requested_at": "2026-11-21T09:05:38.900Z", "sequence": "42", "index": "1", "of": "3",
            ])
    }
}
