import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Changes of controls that wait for a slow device: their order, and the shares of clients.
struct ControlSharesTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() {
        device = bench.attach()
        device.held = [.controls]
    }

    private func set(_ value: Int, _ client: String) -> CollectingReplyAddress {
        bench.send(.controls, #"{"brightness": \#(value), "client": "\#(client)"}"#)
    }

    private func releaseAll() {
        device.held = []
        device.release(.controls)
    }

    @Test func theDeviceMakesOneChangeAtATimeInTheOrderOfTheRequests() {
        let replies = (0..<3).map { set($0, "c\($0)") }
        for number in 0..<3 {
            #expect(device.pendingCalls(of: .controls) == 1)
            #expect(replies.map(\.statuses.count) == (0..<3).map { $0 < number ? 1 : 0 })
            device.release(.controls)
        }
        #expect(replies.allSatisfy { $0.statuses == [.done] })
        #expect(bench.states(.controls).suffix(3).map { $0["values"]["brightness"] } == [0, 1, 2])
    }

    @Test func sixteenChangesWaitAndOneMoreIsRefused() {
        let waiting = (0..<17).map { set($0, "c") }
        let refused = set(99, "c")
        #expect(refused.error?.code == .busy)
        releaseAll()
        #expect(waiting.allSatisfy { $0.statuses == [.done] })
        #expect(bench.state(.controls)["values"]["brightness"] == 16)
    }

    @Test func aClientWithManyChangesMakesRoomForAnother() {
        let many = (0..<17).map { set($0, "many") }
        let other = set(99, "other")
        #expect(other.answers.isEmpty)
        #expect(many.map(\.statuses) == many.indices.map { $0 == 16 ? [.error] : [] })
        #expect(many.last?.error?.code == .busy)
        releaseAll()
        #expect(other.statuses == [.done])
        #expect(bench.state(.controls)["values"]["brightness"] == 99)
    }

    @Test func presetsAndDesiredChangesHaveTheSameShares() {
        device.held = []
        bench.send(.presets, #"{"save": "desk", "client": "many"}"#)
        device.held = [.controls]
        let many = (0..<17).map { _ in bench.send(.presets, #"{"go": "desk", "client": "many"}"#) }
        let desired = bench.send(
            .desired, #"{"version": 1, "controls": {"brightness": 7}, "client": "other"}"#)
        #expect(many.last?.error?.code == .busy)
        releaseAll()
        bench.advance(by: .seconds(1))
        #expect(desired.statuses.last == .done && bench.state(.controls)["values"]["brightness"] == 7)
    }

    @Test(arguments: [true, false]) func allThatWaitAreAnsweredWhenTheDeviceGoes(stops: Bool) {
        let waiting = (0..<17).map { set($0, "c") }
        if stops { bench.stop() } else { bench.source.detach(.unplugged) }
        #expect(waiting.allSatisfy { $0.statuses == [.error] && $0.error?.code == .unavailable })
    }

    @Test func noneThatWaitedIsMadeOnTheNextDevice() {
        let waiting = (0..<3).map { set(40 + $0, "c") }
        let next = bench.attach()
        #expect(waiting.allSatisfy { $0.error?.code == .unavailable })
        let brightness = next.controls.first { $0.name == "brightness" }?.value
        #expect(![40, 41, 42].map { .number($0) }.contains(brightness))
    }
}
