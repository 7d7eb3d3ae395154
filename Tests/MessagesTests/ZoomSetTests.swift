import Contract
import Testing
import ZoomModel

struct ZoomSetTests {
    @Test(arguments: [
        ("2.5", ZoomGoal(.factor(2.5))), (" 3\n", ZoomGoal(.factor(3))), ("1e1", ZoomGoal(.factor(10))),
        (#"{"factor":4}"#, ZoomGoal(.factor(4))),
        (#"{"position":-0.5}"#, ZoomGoal(.position(-0.5))),
        (#"{"by":0.5,"rate":2}"#, ZoomGoal(.by(0.5), rate: 2)),
        (
            #"{"factor":2,"rate":0.25,"anchor":{"x":0,"y":1}}"#,
            ZoomGoal(.factor(2), rate: 0.25, anchor: Point(x: 0, y: 1))
        ),
    ])
    func aGoalIsRead(json: String, goal: ZoomGoal) throws {
        #expect(try command(.zoom, json).body.get() as? ZoomCommand == (.go(goal)))
    }

    @Test(arguments: [
        (#"{"move":{"velocity":-0.5}}"#, ZoomCommand.move(velocity: -0.5, timeout: .milliseconds(1000))),
        (#"{"move":{"velocity":0,"timeout_ms":1}}"#, .move(velocity: 0, timeout: .milliseconds(1))),
        (#"{"move":{"timeout_ms":10000,"velocity":3}}"#, .move(velocity: 3, timeout: .milliseconds(10_000))),
        (#"{"stop":true}"#, .stop),
    ])
    func moveAndStopAreRead(json: String, action: ZoomCommand) throws {
        #expect(try command(.zoom, json).body.get() as? ZoomCommand == (action))
    }
}
