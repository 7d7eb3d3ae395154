import Core
import TestSupport
import Testing

@testable import Contract

/// Revisions after the state was lost: they continue above those that controllers know.
struct LostRevisionTests {
    @Test func statesAreNumberedAboveARevisionOfALostState() {
        let bench = CameraBench()
        bench.camera.context.continueRevisions(after: 41)
        bench.attach()
        let revisions = bench.frontEnd.messages.compactMap { $0.json["rev"].number }
        #expect(revisions.allSatisfy { $0 >= 41 } && bench.state(.zoom)["rev"].number ?? 0 > 41)
    }

    @Test func statesThatWerePublishedBeforeARevisionWasFoundArePublishedAgain() {
        let bench = CameraBench()
        bench.attach()
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        bench.camera.context.continueRevisions(after: 5000)
        for node in [Node.zoom, .controls, .session] {
            #expect(bench.state(node)["rev"].number ?? 0 > 5000)
        }
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test func aRevisionIsUsedWhenTheDiskHasIt() {
        let bench = CameraBench()
        bench.attach()
        bench.storage.isHeld = true
        bench.camera.context.continueRevisions(after: 5000)
        bench.send(.zoom, #"{"factor": 2}"#)
        #expect(bench.state(.zoom)["factor"] == 2 && bench.state(.zoom)["rev"].number ?? 5000 < 5000)
        bench.storage.complete()
        #expect(bench.state(.zoom)["factor"] == 2 && bench.state(.zoom)["rev"].number ?? 0 > 5000)
        #expect(bench.storage.last.numbers.rev >= 5000)
    }

    @Test func lowerRevisionsChangeNothing() {
        let bench = CameraBench()
        bench.attach()
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        let rev = bench.state(.zoom)["rev"].number
        let count = bench.frontEnd.messages.count
        bench.camera.context.continueRevisions(after: 1)
        #expect(bench.frontEnd.messages.count == count && bench.state(.zoom)["rev"].number == rev)
    }
}
