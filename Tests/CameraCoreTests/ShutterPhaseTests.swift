import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// The shutter as a button: a press prepares the camera, and its end takes the photo.
struct ShutterPhaseTests {
    let bench = CameraBench.shutter()
    let button: ShutterButton

    init() { button = ShutterButton(bench: bench, client: "phone") }

    @Test func aPressPreparesAndItsEndTakesThePhoto() {
        let began = button.send(.began)
        #expect(began.statuses == [.accepted])
        bench.advance(by: ShutterButton.settling)
        #expect(began.statuses == [.accepted, .done] && bench.state(.capture)["counter"] == 0)
        let ended = button.send(.ended, id: "up")
        bench.advance(by: .milliseconds(100))
        #expect(ended.statuses == [.accepted, .done])
        let photos = ended.lastMessage["photos"].list
        #expect(photos.count == 1 && button.events("shutter").map { $0["photo"] } == photos)
        #expect(button.events("shutter").map { $0["id"] } == ["up"])
    }

    @Test func thePhotoIsOfTheMomentOfTheRelease() {
        button.press()
        bench.send(.zoom, #"{"factor": 4}"#)
        let photo = button.release()["photos"][0]
        #expect(photo["factor"] == 4 && photo["viewport"] == bench.state(.zoom)["viewport"])
    }

    @Test func aReleaseBeforeTheCameraIsReadyGetsItsPhoto() {
        let began = button.send(.began)
        let ended = button.send(.ended)
        #expect(began.statuses == [.accepted] && ended.statuses == [.accepted])
        #expect(bench.pressedButtons == [] && bench.state(.capture)["counter"] == 0)
        bench.advance(by: ShutterButton.settling)
        #expect(began.statuses == [.accepted, .done] && ended.statuses == [.accepted, .done])
        #expect(ended.lastMessage["photos"].list.count == 1)
    }

    @Test func aReleaseWhosePressWasLostTakesAPhotoToo() {
        #expect(button.release()["photos"].list.count == 1)
    }

    @Test func aCancelledPressTakesNothing() {
        button.press()
        #expect(button.release(.cancelled)["photos"] == nil)
        #expect(button.release(.cancelled)["photos"] == nil, "without a press it is done as well")
        #expect(bench.state(.capture)["counter"] == 0 && button.events("shutter").isEmpty)
        #expect(button.release()["photos"][0]["sequence"] == 1)
    }

    @Test func aPressThatIsCancelledBeforeTheCameraIsReadyIsSuperseded() {
        let began = button.send(.began)
        #expect(button.send(.cancelled).statuses == [.done])
        #expect(began.statuses == [.accepted, .superseded] && bench.pressedButtons == [])
        bench.advance(by: ShutterButton.settling)
        #expect(began.statuses == [.accepted, .superseded] && bench.state(.capture)["counter"] == 0)
    }

    @Test func aSecondPressReplacesOneWhoseReleaseWasLost() {
        let lost = button.send(.began)
        button.press()
        #expect(lost.statuses == [.accepted, .superseded] && bench.pressedButtons == ["primary"])
        #expect(button.release()["photos"].list.count == 1 && bench.pressedButtons == [])
        #expect(bench.state(.capture)["counter"] == 1)
    }

    @Test func twoQuickPressesTakeTwoPhotos() {
        let phases: [PressSet.Phase] = [.began, .ended, .began, .ended]
        let replies = phases.map { button.send($0) }
        bench.advance(by: .seconds(1))
        #expect(replies.allSatisfy { $0.statuses == [.accepted, .done] })
        let photos = replies.flatMap { $0.lastMessage["photos"].list }
        #expect(photos.map { $0["sequence"] } == [1, 2])
    }

    @Test func aRepeatedPhaseIsDoneOnce() {
        button.press()
        let first = button.send(.ended, id: "up-1")
        bench.advance(by: .milliseconds(100))
        let second = button.send(.ended, id: "up-1")
        #expect(first.statuses == [.accepted, .done] && second.error?.code == .duplicate)
        #expect(bench.state(.capture)["counter"] == 1)
    }

    // MARK: The form of the photo

    private let image = #""reply": "image", "size": {"width": 32}, "quality": 70"#

    @Test func aReleaseIsAnsweredByItsPhoto() {
        button.press()
        let ended = button.send(.ended, id: "up", form: image)
        bench.advance(by: .milliseconds(100))
        #expect(ended.replies.isEmpty && ended.photos.map(\.width) == [32] && ended.isFinished)
        #expect(ended.photos.map(\.quality) == [70] && bench.frontEnd.photos == ended.photos)
        #expect(button.events("shutter").map { $0["id"] } == ["up"])
        // The next press has the defaults again.
        #expect(button.release()["photos"][0]["width"] == 64)
    }

    @Test func aReleaseBeforeTheCameraIsReadyIsAnsweredByItsPhotoAlone() {
        let began = button.send(.began)
        let ended = button.send(.ended, form: image)
        #expect(ended.answers.isEmpty)
        bench.advance(by: ShutterButton.settling)
        #expect(began.statuses == [.accepted, .done])
        #expect(ended.replies.isEmpty && ended.photos.map(\.width) == [32])
    }

    @Test func aReleaseWhosePressWasLostIsAnsweredByItsPhotoToo() {
        let ended = button.send(.ended, form: image)
        bench.advance(by: .milliseconds(100))
        #expect(ended.replies.isEmpty && ended.photos.map(\.width) == [32])
    }

    /// As a plain capture: clients could not distinguish a photo from answers there.
    @Test func withoutAResponseTopicTheAnswerIsTheMetadata() {
        button.press()
        let ended = button.send(.ended, form: image, acceptsPhotos: false)
        bench.advance(by: .milliseconds(100))
        #expect(ended.photos.isEmpty && ended.statuses == [.accepted, .done])
        #expect(ended.final?.photos?.map(\.width) == [32])
    }

    @Test func aReleaseWithoutAPhotoIsAnsweredByTheError() {
        button.press()
        bench.media.failures = [.encode: CommandError(.device, "The frame is damaged.")]
        let ended = button.send(.ended, form: image)
        bench.advance(by: .milliseconds(100))
        #expect(ended.photos.isEmpty && ended.statuses == [.error] && ended.error?.code == .device)
        bench.advance(by: .seconds(5))
        let waiting = (button.send(.began), button.send(.ended, form: image))
        #expect(waiting.0.statuses == [.accepted] && waiting.1.answers.isEmpty)
        bench.source.detach(.unplugged)
        #expect(waiting.0.error?.code == .unavailable && waiting.1.error?.code == .unavailable)
    }

    @Test(arguments: [PressSet.Phase.began, .cancelled]) func otherPhasesTakeNoPhoto(phase: PressSet.Phase) {
        for form in [#""reply": "image""#, #""size": {"width": 32}"#, #""quality": 70"#] {
            #expect(button.send(phase, form: form).error?.code == .badPayload)
        }
        #expect(bench.pressedButtons == [])
    }

    @Test func aPlainCaptureGoesOnBesideAPress() {
        button.press()
        let series = bench.send(.capture, #"{"count": 2}"#)
        bench.advance(by: .milliseconds(100))
        #expect(series.lastMessage["photos"].list.count == 2 && bench.pressedButtons == ["primary"])
        #expect(button.release()["photos"].list.count == 1)
    }

    // MARK: Getting ready

    @Test func theNextPressIsReadyAtOnce() {
        button.press()
        button.release()
        #expect(button.send(.began).statuses == [.done])
        button.release()
        bench.advance(by: .seconds(5))
        #expect(button.send(.began).statuses == [.accepted], "the camera has no frames any more")
    }

    @Test func aHeldButtonKeepsTheCameraReady() {
        button.press()
        bench.advance(by: .seconds(60))
        let other = ShutterButton(bench: bench, client: "tablet")
        #expect(other.send(.began).statuses == [.done])
    }

    @Test func aPressIsReadyWhenTheExposureHasSettled() {
        bench.media.brightness = 0
        let began = button.send(.began)
        for step in 1...10 {
            bench.media.brightness = 0.05 * Double(step)
            bench.advance(by: .milliseconds(100))
        }
        #expect(began.statuses == [.accepted])
        bench.advance(by: ShutterButton.settling)
        #expect(began.statuses == [.accepted, .done])
    }

    @Test(arguments: ["flickering", "damaged"]) func aPressWaits1500MillisecondsAtMost(frames: String) {
        let began = button.send(.began)
        for step in 1...14 {
            bench.media.brightness = frames == "damaged" ? nil : Double(step % 2)
            bench.advance(by: .milliseconds(100))
        }
        #expect(began.statuses == [.accepted])
        bench.advance(by: .milliseconds(200))
        #expect(began.statuses == [.accepted, .done])
    }
}
