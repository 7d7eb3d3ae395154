import Messages
import Testing

struct ZoomSetTests {
    @Test(arguments: [
        ("2.5", ZoomGoal(.factor(2.5))), (" 3\n", ZoomGoal(.factor(3))), ("1e1", ZoomGoal(.factor(10))),
        (#"{"factor":4}"#, ZoomGoal(.factor(4))),
        (#"{"position":-0.5}"#, ZoomGoal(.position(-0.5))),
        (#"{"by":0.5,"rate":2}"#, ZoomGoal(.by(0.5), rate: 2)),
        (
            #"{"factor":2,"rate":0.25,"anchor":{"x":0,"y":1}}"#,
            ZoomGoal(.factor(2), rate: 0.25, anchor: Anchor(x: 0, y: 1))
        ),
    ])
    func aGoalIsRead(json: String, goal: ZoomGoal) throws {
        #expect(try command(.zoom, json).body.get() == .zoom(ZoomSet(.go(goal))))
    }

    @Test(arguments: [
        (#"{"move":{"velocity":-0.5}}"#, ZoomSet.Action.move(velocity: -0.5, timeoutMilliseconds: 1000)),
        (#"{"move":{"velocity":0,"timeout_ms":1}}"#, .move(velocity: 0, timeoutMilliseconds: 1)),
        (#"{"move":{"timeout_ms":10000,"velocity":3}}"#, .move(velocity: 3, timeoutMilliseconds: 10_000)),
        (#"{"stop":true}"#, .stop),
    ])
    func moveAndStopAreRead(json: String, action: ZoomSet.Action) throws {
        #expect(try command(.zoom, json).body.get() == .zoom(ZoomSet(action)))
    }

    @Test(arguments: [
        "0", "-1", "-0.0", #"{"factor":0}"#, #"{"factor":-2}"#, #"{"factor":"2"}"#, #"{"factor":null}"#,
    ])
    func aFactorIsANumberAboveZero(json: String) {
        expectRefusal(.zoom, json, field: "factor")
    }

    @Test(arguments: [
        (#"{"by":0}"#, "by"), (#"{"by":true}"#, "by"), (#"{"position":"half"}"#, "position"),
        (#"{"factor":2,"rate":0}"#, "rate"), (#"{"factor":2,"rate":-1}"#, "rate"), (#"{"rate":1}"#, "rate"),
        (#"{"anchor":{"x":0,"y":0}}"#, "anchor"), (#"{"factor":2,"anchor":[0,0]}"#, "anchor"),
        (#"{"factor":2,"anchor":{"x":[1],"y":0}}"#, "anchor.x"),
        (#"{"factor":2,"anchor":{"x":0}}"#, "anchor.y"),
        (#"{"factor":2,"anchor":{"x":0,"y":0,"z":0}}"#, "anchor.z"),
        (#"{"factor":2,"anchor":{"x":0,"y":"0"}}"#, "anchor.y"),
        (#"{"move":{}}"#, "move.velocity"), (#"{"move":5}"#, "move"),
        (#"{"move":{"velocity":"in"}}"#, "move.velocity"),
        (#"{"move":{"velocity":1,"timeout_ms":0}}"#, "move.timeout_ms"),
        (#"{"move":{"velocity":1,"timeout_ms":10001}}"#, "move.timeout_ms"),
        (#"{"move":{"velocity":1,"timeout_ms":0.5}}"#, "move.timeout_ms"),
        (#"{"move":{"velocity":1,"rate":1}}"#, "move.rate"), (#"{"stop":true,"rate":1}"#, "rate"),
        (#"{"stop":false}"#, "stop"), (#"{"stop":1}"#, "stop"), (#"{"factor":2,"zoom":3}"#, "zoom"),
        (#"{"faktor":2}"#, "faktor"), (#"{"factor":2,"":1}"#, ""),
    ])
    func whatIsWrongIsNamed(json: String, field: String) {
        expectRefusal(.zoom, json, field: field)
    }

    @Test(arguments: [
        "{}", #"{"factor":2,"by":2}"#, #"{"factor":2,"stop":true}"#, #"{"position":1,"move":{"velocity":1}}"#,
        #"{"factor":1,"position":0,"by":1}"#, #"{"id":"a"}"#,
    ])
    func itIsExactlyOneThing(json: String) {
        expectRefusal(.zoom, json, field: nil)
    }
}
