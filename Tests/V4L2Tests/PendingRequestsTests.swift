import Contract
import Testing

@testable import Cameras

/// The completions of a camera's calls, and what is known of its controls.
struct PendingRequestsTests {
    private let mode = CameraMode(pixelFormat: "YUYV", width: 640, height: 480, rate: 30)

    @Test func eachCompletionFailsOnce() {
        var (requests, failed) = (PendingRequests(), [String]())
        _ = requests.addSetting([:]) { _ in failed.append("setting") }
        requests.add(mode) { _ in failed.append("first mode") }
        _ = requests.beginModeChange()
        requests.add(mode) { _ in failed.append("second mode") }
        _ = requests.addFrame(after: .now) { _ in failed.append("frame") }
        while let fail = requests.takeNextForFailure() { fail() }
        #expect(failed == ["frame", "setting", "first mode", "second mode"])
    }

    @Test func whatWasAnsweredDoesNotFail() {
        var (requests, answers) = (PendingRequests(), 0)
        let (number, isHeld) = requests.addFrame(after: .now) { _ in answers += 1 }
        #expect(!isHeld)
        requests.takeFrame(number)?(.failure(.device("no frame")))
        let (again, failure) = (requests.takeFrame(number), requests.takeNextForFailure())
        #expect(again == nil && failure == nil && answers == 1)
    }

    @Test func framesBehindAModeThatWaitsAreHeldUntilTheLastBegins() {
        var requests = PendingRequests()
        requests.add(mode) { _ in }
        requests.add(mode) { _ in }
        let time = ContinuousClock.now
        let (number, isHeld) = requests.addFrame(after: time) { _ in }
        #expect(isHeld)
        let (first, frames) = (requests.beginModeChange().frames, requests.beginModeChange().frames)
        #expect(first.isEmpty)
        #expect(frames.map(\.number) == [number] && frames.map(\.after) == [time])
        #expect(requests.heldFrames.isEmpty)
    }

    /// Some drivers keep returning the value from before an event.
    @Test func aValueFromAnEventOutlastsAReadingUntilTheControlIsSet() {
        func map(_ value: Int64) -> ControlMap {
            ControlMap([V4L2Control(id: 7, kind: .integer, title: "Gain", maximum: 9)], values: [7: value])
        }
        var readings = ControlReadings(map(1))
        let (first, second) = (readings.event(5, of: 7), readings.event(5, of: 7))
        #expect(first && !second)
        let isChanged = readings.read(map(1))
        #expect(!isChanged && readings.list[0].value == .number(5))
        readings.wereSet(["gain"], map(3))
        #expect(readings.list[0].value == .number(3) && readings.eventValue(of: 7) == nil)
    }
}
