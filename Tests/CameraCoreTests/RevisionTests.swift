import Core
import TestSupport
import Testing

@testable import Contract
@testable import Settings

/// `rev` grows exactly when a value has changed that a state of `zoom`, `controls` or `session` shows.
struct RevisionTests {
    let bench = CameraBench()

    init() { bench.attach(simulated: .init(opticalMaximum: 2)) }

    private var rev: Int { bench.camera.context.rev }

    private var states: Int {
        bench.states(.zoom).count + bench.states(.controls).count + bench.states(.session).count
    }

    @Test(arguments: [
        (Node.zoom, #"{"factor": 3}"#), (.zoom, #"{"position": 0.5}"#), (.zoom, #"{"factor": 1}"#),
        (.viewport, #"{"center": {"x": 0.5, "y": 0.5}}"#), (.controls, #"{"brightness": 0.1}"#),
        (.session, #"{"quality": "low"}"#), (.session, #"{"fps": 15}"#),
        (.session, #"{"quality": "low", "controls": {"brightness": 0.1}, "zoom": {"factor": 2}}"#),
    ])
    func whatIsSetAgainChangesNothing(node: Node, command: String) {
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(bench.outcome(of: node, command).statuses.last == .done)
        let (rev, states, origin) = (rev, states, bench.state(node)["origin"])
        let again = bench.outcome(of: node, command.dropLast() + #", "client": "phone", "if_rev": \#(rev)}"#)
        #expect(again.statuses.last == .done && again.message["rev"] == .number(Double(rev)))
        #expect(self.rev == rev && self.states == states && bench.state(node)["origin"] == origin)
    }

    @Test func aStopAtRestChangesNothing() {
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        let (rev, states) = (rev, states)
        #expect(bench.outcome(of: .zoom, #"{"stop": true}"#).message["rev"] == .number(Double(rev)))
        #expect(self.rev == rev && self.states == states)
    }

    @Test(arguments: [Node.pinch, .touch]) func aGestureThatMovesNothingChangesNothing(node: Node) {
        let (rev, states, fingers) = (rev, states, #""touches": [{"id": 1, "x": 0.5, "y": 0.5, "phase": "#)
        let began = node == .pinch ? #""phase": "began""# : fingers + #""began"}]"#
        let ended = node == .pinch ? #""phase": "ended""# : fingers + #""ended"}]"#
        bench.outcome(of: node, #"{"gesture": "g", "client": "phone", \#(began)}"#)
        #expect(bench.state(node)["gesture"] == "g")
        bench.outcome(of: node, #"{"gesture": "g", "client": "phone", \#(ended)}"#)
        #expect(bench.state(node) == .null && self.rev == rev && self.states == states)
    }

    /// The samples of a ramp belong to its state, also if another client's gesture ends by silence meanwhile.
    @Test func aRampHasOneRevision() {
        bench.send(.pinch, #"{"gesture": "g", "client": "tablet", "phase": "began"}"#)
        bench.advance(by: .seconds(1))
        bench.send(.zoom, #"{"factor": 4, "rate": 0.5, "client": "phone"}"#)
        let ramp = bench.state(.zoom)["rev"]
        bench.advance(by: .seconds(3))
        #expect(bench.state(.pinch) == .null && bench.state(.zoom)["rev"] == ramp)
        let revisions = bench.frontEnd.samples(on: .zoomSample).map { $0.json["rev"] }
        #expect(revisions.count > 50 && Set(revisions.map(\.number)) == [ramp.number])
    }

    @Test func samplesBelongToTheStateOfTheZoom() {
        bench.send(.zoom, #"{"factor": 4, "rate": 0.5}"#)
        let ramp = bench.state(.zoom)["rev"]
        bench.outcome(of: .controls, #"{"brightness": 0.1}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.frontEnd.samples(on: .zoomSample).last?.json["rev"] == ramp)
        #expect(bench.state(.controls)["rev"].number ?? 0 > ramp.number ?? 0)
    }

    /// So a slider that was dragged too far comes back.
    @Test(arguments: [
        (Node.zoom, #"{"factor": 1000}"#), (.viewport, #"{"center": {"x": 1, "y": 1}}"#),
        (.controls, #"{"brightness": 1000}"#), (.session, #"{"fps": 1000}"#),
    ])
    func whatIsClampedIsPublishedAgain(node: Node, command: String) {
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(bench.outcome(of: node, command).message["clamped"] == true)
        let (rev, shown) = (rev, node == .viewport ? Node.zoom : node)
        let (state, count) = (bench.state(shown), bench.states(shown).count)
        let again = bench.outcome(of: node, command)
        #expect(again.message["clamped"] == true && self.rev == rev)
        #expect(bench.states(shown).count == count + 1)
        #expect(bench.state(shown)["rev"] == state["rev"] && bench.state(shown)["origin"] == state["origin"])
    }

    @Test func aPinchAtTheEndOfTheRangeIsPublishedAgain() {
        bench.outcome(of: .zoom, #"{"factor": 10}"#)
        bench.send(.pinch, #"{"gesture": "g", "phase": "began"}"#)
        let (rev, count) = (rev, bench.states(.zoom).count)
        for number in 1...10 {
            bench.send(.pinch, #"{"gesture": "g", "phase": "changed", "scale": \#(number + 1)}"#)
            bench.advance(by: .milliseconds(50))
        }
        #expect(self.rev == rev && bench.states(.zoom).count == count + 10)
    }
}
