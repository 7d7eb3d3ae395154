import Agent
import CameraCore
import Messages
import TestSupport
import Testing

/// One message for several front ends.
struct FrontEndHubTests {
    let first = CollectingFrontEnd(isWritten: false)
    let second = CollectingFrontEnd(isWritten: false)
    var hub: FrontEndHub { FrontEndHub([first, second]) }

    @Test func everyMessageReachesEachFrontEnd() {
        let state = Availability(.online, boot: 1)
        hub.publishState(state, encoded: JSON.bytes(state), on: .availability, of: "door")
        let event = Event(.shutter, boot: 1, ts: "2026-01-01T00:00:00Z")
        hub.publishEvent(event, encoded: JSON.bytes(event), of: "door")
        #expect(hub.publishSample([1], on: .zoomSample, of: "door"))
        for frontEnd in [first, second] {
            #expect(
                frontEnd.messages.map(\.kind) == [.state(.availability), .event, .sample(.zoomSample)])
            #expect(frontEnd.messages.allSatisfy { $0.camera == "door" })
        }
    }

    /// The front ends share the bytes: nothing is encoded or copied for the second one.
    @Test func aMessageIsEncodedOnce() {
        let state = Availability(.online, boot: 1)
        hub.publishState(state, encoded: JSON.bytes(state), on: .availability, of: "door")
        let places = [first, second].map { frontEnd in
            frontEnd.messages[0].bytes.withUnsafeBufferPointer { $0.baseAddress }
        }
        #expect(places[0] != nil && places[0] == places[1])
    }

    @Test func aSampleIsSentIfOneFrontEndSentIt() {
        first.hasCapacity = false
        #expect(hub.publishSample([1], on: .zoomSample, of: "door"))
        #expect(first.messages.isEmpty && second.messages.count == 1)
        second.hasCapacity = false
        #expect(!hub.publishSample([2], on: .zoomSample, of: "door"))
    }

    @Test func aFrameIsSentIfOneFrontEndSentIt() {
        let fields = FrameFields(
            frame: 1, exposedAt: "2026-01-01T00:00:00Z", width: 4, height: 2, factor: 1, optical: 1,
            viewport: ViewportField(x: 0, y: 0, width: 1, height: 1), rev: 1, boot: 1)
        first.hasCapacity = false
        #expect(hub.publishFrame([1], fields, of: "door"))
        #expect(first.messages.isEmpty && second.frames == [fields])
        second.hasCapacity = false
        #expect(!hub.publishFrame([2], fields, of: "door"))
    }

    @Test func thereIsCapacityIfAllFrontEndsHaveIt() {
        #expect(hub.hasCapacity)
        second.hasCapacity = false
        #expect(!hub.hasCapacity)
    }
}
