import Contract
import TestSupport
import Testing

/// `spot`: the mark of the camera to watch.
struct SpotTests {
    @Test func aMarkIsShownAndKept() {
        let bench = CameraBench()
        bench.attach()
        #expect(bench.state(.spot)["on"] == false)
        #expect(bench.send(.spot, "ON").final?.status == .done)
        #expect(bench.state(.spot)["on"] == true)
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.state(.spot)["on"] == true)
    }
}
