import Contract
import Testing
import ZoomModel

struct PinchSetTests {
    func read(_ json: String) throws -> PinchSample {
        guard let pinch = try command(.pinch, json).body.get() as? PinchSample else { throw NotAPinch() }
        return pinch
    }

    struct NotAPinch: Error {}

    @Test func whatIsLeftOutIsCumulativeWithoutAnchorOrNumber() throws {
        let pinch = try read(#"{"gesture":"g","phase":"began"}"#)
        #expect((pinch.gesture, pinch.phase, pinch.mode, pinch.revert) == ("g", .began, .cumulative, false))
        #expect(pinch.scale == nil && pinch.sequence == nil && pinch.anchor == nil)
    }

    @Test func allOfItIsRead() throws {
        let pinch = try read(
            #"{"gesture":"g","phase":"changed","scale":1.5,"seq":9223372036854775807,"mode":"incremental","anchor":{"x":0.25,"y":1}}"#
        )
        #expect((pinch.phase, pinch.scale, pinch.sequence, pinch.mode) == (.changed, 1.5, .max, .incremental))
        #expect(pinch.anchor == Point(x: 0.25, y: 1))
    }

    @Test(arguments: PinchSample.Phase.allCases) func aPhaseIsOneOfFour(phase: PinchSample.Phase) throws {
        #expect(try read(#"{"gesture":"g","scale":1,"phase":"\#(phase.rawValue)"}"#).phase == phase)
    }

    @Test func revertGoesWithCancelled() throws {
        #expect(try read(#"{"gesture":"g","phase":"cancelled","revert":true}"#).revert)
        #expect(try !read(#"{"gesture":"g","phase":"cancelled","revert":false}"#).revert)
    }

    @Test func aNameMayHave64Bytes() throws {
        let name = String(repeating: "é", count: 32)
        #expect(try read(#"{"gesture":"\#(name)","phase":"ended"}"#).gesture == name)
    }
}
