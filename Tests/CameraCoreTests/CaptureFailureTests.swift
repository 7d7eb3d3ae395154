import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Captures that fail, and photos that are answers themselves.
struct CaptureFailureTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    /// What may fail, and the code of the answer.
    enum Fault: CaseIterable {
        case frame, encoder, disk

        var code: CommandError.Code { self == .disk ? .storageFull : .device }
    }

    private func inject(_ fault: Fault?) {
        device.failures = fault == .frame ? [.frame: .device("no frame came")] : [:]
        bench.media.failures =
            switch fault {
            case .encoder: [.encode: CommandError(.device, "The frame is damaged.")]
            case .disk: [.store: CommandError(.storageFull, "No space left on device.")]
            case .frame, nil: [:]
            }
    }

    @Test(arguments: Fault.allCases) func aFailureIsAnsweredAndTheNextCaptureIsDone(fault: Fault) {
        inject(fault)
        let reply = bench.send(.capture, #"{"id": "1", "client": "c"}"#)
        #expect(reply.statuses == [.accepted, .error] && reply.error?.code == fault.code)
        let refused = bench.eventMessages("refused")
        #expect(refused.map { $0["id"] } == ["1"] && refused.map { $0["node"] } == ["capture"])
        #expect(refused.map { $0["error"] } == [reply.lastMessage["error"]])
        #expect(bench.eventMessages("shutter").isEmpty && bench.frontEnd.photos.isEmpty)
        let state = bench.state(.capture)
        #expect(state["pending"] == 0 && state["counter"] == 0 && state["last"] == nil)
        inject(nil)
        bench.advance(by: .milliseconds(100))
        #expect(bench.photo()["sequence"] == 1)
    }

    @Test func aFailureEndsItsSeries() {
        let series = bench.send(.capture, #"{"count": 3, "interval_ms": 100}"#)
        inject(.disk)
        bench.advance(by: .seconds(1))
        #expect(series.statuses == [.accepted, .error])
        #expect(bench.state(.capture)["counter"] == 1 && bench.state(.capture)["pending"] == 0)
    }

    @Test func withoutADeviceEveryCaptureIsRefused() {
        let bench = CameraBench()
        #expect(bench.send(.capture).error?.code == .unavailable)
        bench.source.detach(.notFound)
        #expect(bench.send(.capture).error?.code == .unavailable)
        #expect(bench.state(.capture)["pending"] == 0 && bench.state(.capture)["last"] == nil)
    }

    /// How captures end that wait for the device.
    enum End: CaseIterable { case unplugged, stopped }

    private func end(_ end: End) {
        if end == .unplugged { bench.source.detach(.unplugged) } else { bench.stop() }
    }

    @Test(arguments: End.allCases) func capturesThatWaitAreAnsweredAtTheEnd(how: End) {
        device.held = [.frame]
        let replies = (0..<3).map { _ in bench.send(.capture) }
        end(how)
        #expect(replies.allSatisfy { $0.statuses == [.accepted, .error] })
        #expect(replies.allSatisfy { $0.error?.code == .unavailable })
        #expect(bench.state(.capture)["pending"] == 0)
    }

    @Test func anEncodedPhotoOutlivesItsDevice() {
        bench.media.held = [.store]
        let reply = bench.send(.capture)
        bench.source.detach(.unplugged)
        bench.media.release(.store)
        #expect(reply.statuses == [.accepted, .done] && bench.state(.capture)["counter"] == 1)
    }

    @Test func aStopDoesntWaitForTheDisk() {
        bench.media.held = [.store]
        let reply = bench.send(.capture)
        bench.stop()
        #expect(reply.statuses == [.accepted, .error] && reply.error?.message == "The agent is stopping.")
        bench.media.release(.store)
        #expect(reply.statuses == [.accepted, .error])
    }

    // MARK: The photo as the answer

    @Test func aPhotoIsItsOwnAnswerBeforeItIsStored() {
        bench.media.held = [.store]
        let reply = bench.send(.capture, #"{"reply": "image", "zoom": {"factor": 2}, "size": {"width": 32}}"#)
        #expect(
            reply.replies.isEmpty && reply.photos.map(\.width) == [32] && reply.photos.map(\.factor) == [2])
        #expect(bench.eventMessages("shutter").isEmpty, "the event means that the photo is stored")
        bench.media.release(.store)
        #expect(bench.events(.shutter).map(\.photo) == reply.photos)
        #expect(reply.answers.count == 1 && bench.frontEnd.photos == reply.photos)
    }

    @Test func eachPhotoOfASeriesIsAnAnswer() {
        let reply = bench.send(.capture, #"{"reply": "image", "count": 2}"#)
        bench.advance(by: .milliseconds(100))
        #expect(reply.photos.map(\.index) == [1, 2] && reply.replies.isEmpty && reply.isFinished)
    }

    @Test func anAddressWithoutPhotosGetsTheFields() {
        let reply = bench.send(.capture, #"{"reply": "image"}"#, acceptsPhotos: false)
        #expect(reply.photos.isEmpty && reply.statuses == [.accepted, .done])
        #expect(bench.frontEnd.photos == reply.final?.photos)
    }

    @Test func aDeliveredPhotoThatIsNotStoredIsAnEvent() {
        inject(.disk)
        let reply = bench.send(.capture, #"{"reply": "image", "id": "1"}"#)
        #expect(reply.answers.count == 1 && reply.photos.count == 1)
        #expect(bench.eventMessages("refused").map { $0["error"]["code"] } == ["storage_full"])
        #expect(bench.eventMessages("refused").map { $0["id"] } == ["1"])
    }

    @Test func withoutAPhotoTheAnswerIsTheError() {
        inject(.encoder)
        let reply = bench.send(.capture, #"{"reply": "image"}"#)
        #expect(reply.photos.isEmpty && reply.statuses == [.error] && reply.error?.code == .device)
    }
}
