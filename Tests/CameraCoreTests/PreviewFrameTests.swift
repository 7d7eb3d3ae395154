import Base
import Cameras
import Contract
import Core
import FoundationEssentials
import TestSupport
import Testing
import ZoomModel

@testable import Settings

/// The frames of a preview: when they come, what they show, and when they don't.
struct PreviewFrameTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    private var frames: Int { bench.frontEnd.frames.count }

    /// The camera's last change of the zoom.
    private var rev: Int? { bench.state(.zoom)["rev"].number.map { Int($0) } }

    /// The time of day at an instant, as messages have it.
    private func time(_ instant: ContinuousClock.Instant) -> String {
        let ago = instant.duration(to: bench.clock.now)
        return Timestamp.text(CameraBench.epoch.addingTimeInterval((bench.time - ago) / .seconds(1)))
    }

    @Test func theFirstFrameComesAtOnce() {
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .seconds(1))
        bench.send(.preview, #"{"stop": true}"#)
        let before = frames
        bench.send(.preview, #"{"fps": 0.1}"#)
        bench.advance(by: .milliseconds(100))
        #expect(frames == before + 1)
        bench.advance(by: .seconds(9))
        #expect(frames == before + 1)
        bench.advance(by: .seconds(1))
        #expect(frames == before + 2)
    }

    @Test func theFirstFrameForANewClientComesAtOnceAsWell() {
        bench.send(.preview, #"{"fps": 0.1, "client": "phone"}"#)
        bench.advance(by: .seconds(1))
        bench.send(.preview, #"{"fps": 0.1, "client": "desk"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(frames == 2)
    }

    @Test func aFasterClientDoesntWaitForTheFrameOfASlowerOne() {
        bench.send(.preview, #"{"fps": 0.1, "client": "slow"}"#)
        bench.advance(by: .seconds(1))
        #expect(frames == 1)
        bench.send(.preview, #"{"fps": 30, "client": "fast"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(frames >= 3)
    }

    @Test(arguments: [0.1, 1, 5, 10, 15, 60]) func thereAreNoMoreFramesThanWanted(rate: Double) {
        bench.send(.preview, #"{"fps": \#(rate), "seconds": 100}"#)
        bench.turn()
        let before = frames
        bench.advance(by: .seconds(20))
        // The device gives 30 frames per second; each is sent once.
        let most = 20 * min(rate, 30)
        #expect(Double(frames - before) <= most && Double(frames - before) >= 0.9 * most)
    }

    @Test(arguments: [60, 10]) func framesShowTheZoomAsItIs(rate: Int) {
        bench.send(.preview, #"{"fps": \#(rate)}"#)
        for factor in [4, 1, 8, 2] {
            bench.advance(by: .milliseconds(480))
            let requests = device.calls.count
            let zoomed = bench.clock.now
            #expect(bench.send(.zoom, #"{"factor": \#(factor)}"#).statuses == [.done])
            bench.advance(by: .milliseconds(420))
            let exposures = device.calls.dropFirst(requests).compactMap { call in
                if case .frame(let time) = call { time } else { nil }
            }
            #expect(bench.media.previewed.last?.view.width == 1 / Double(factor))
            #expect(
                exposures.count > 3 && exposures.allSatisfy { $0 >= zoomed }, "a frame is older than the zoom"
            )
        }
    }

    @Test func aRampIsShownOnItsWay() {
        bench.send(.preview, #"{"fps": 60}"#)
        bench.turn()
        bench.send(.zoom, #"{"factor": 8, "rate": 6}"#)
        bench.advance(by: .seconds(1))
        let widths = bench.media.previewed.map(\.view.width)
        #expect(widths.first == 1 && widths.last == 1 / 8 && widths == widths.sorted(by: >))
        #expect(widths.count { $0 > 1 / 8 && $0 < 1 } > 10)
    }

    @Test func framesGoOnOverAChangeOfTheSession() {
        bench.attach(simulated: .init(opticalMaximum: 1, width: 64, height: 36))
        bench.send(.preview, #"{"fps": 60}"#)
        bench.advance(by: .seconds(1))
        for (command, rate) in [(#"{"fps": 15}"#, 15), (#"{"fps": 30}"#, 30)] {
            let reply = bench.send(.session, command)
            bench.advance(by: .seconds(1))
            #expect(reply.final?.status == .done)
            let before = frames
            bench.advance(by: .seconds(1))
            #expect(abs(frames - before - rate) <= 1)
        }
        #expect(bench.state(.preview)["fps"] == 60)
    }

    // MARK: Live

    @Test func theStateIsLiveOnceAFrameHasBeenSent() {
        device.held = [.frame]
        bench.send(.preview, #"{"fps": 10, "client": "phone"}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.preview)["live"] == false && frames == 0)
        device.held = []
        device.release(.frame)
        #expect(bench.state(.preview)["live"] == true && frames == 1)
        let last = bench.frontEnd.messages.suffix(2).map(\.kind)
        #expect(
            last == [.frame, .state(.node(.preview))], "the frame comes before its state")
        let states = bench.states(.preview).count
        bench.advance(by: .seconds(1))
        #expect(bench.states(.preview).count == states, "a state for each frame")
    }

    @Test func aNewLeaseIsNotLiveUntilItsFirstFrame() {
        bench.send(.preview, "ON")
        bench.advance(by: .seconds(1))
        bench.send(.preview, "OFF")
        bench.send(.preview, "ON")
        #expect(bench.state(.preview)["live"] == false)
        bench.advance(by: .milliseconds(100))
        #expect(bench.state(.preview)["live"] == true)
    }

    // MARK: Metadata

    /// On its way, and in each frame: what the fields say is what was cut out of this frame.
    @Test func theFieldsAreThoseOfTheFrame() {
        bench.attach(
            simulated: .init(
                opticalMaximum: 4, lensSpeed: 2, writeLatency: .milliseconds(30), width: 64, height: 36))
        bench.advance(by: .seconds(1))
        bench.send(.preview, #"{"fps": 30, "width": 32}"#)
        bench.turn()
        bench.send(.zoom, #"{"factor": 8, "rate": 3}"#)
        bench.advance(by: .seconds(3))
        let sent = bench.frontEnd.frames
        #expect(sent.count > 60 && sent.count == bench.media.previewedFrames.count)
        for (fields, (frame, shown)) in zip(
            sent, zip(bench.media.previewedFrames, bench.media.previewed))
        {
            let (lens, view) = (1 / frame.field.width, shown.view.width / frame.field.width)
            #expect(fields.frame == frame.number)
            #expect(fields.exposedAt == time(frame.exposedAt))
            #expect(
                fields.optical.forMessages == lens.forMessages
                    && fields.viewport.width.forMessages == view.forMessages)
            #expect(abs(fields.factor - lens / view) < 1e-5)
            #expect((fields.width, fields.height) == (32, 16) && fields.boot == 1)
        }
        let optical = sent.map(\.optical)
        #expect(optical.first == 1 && optical.last == 4 && optical == optical.sorted())
        #expect(optical.contains { $0 > 1 && $0 < 4 })
        #expect(sent.last?.factor == 8 && sent.last?.rev == rev)
    }

    /// A lens that is no part of the picture has the factor that was read back.
    @Test func withoutAFieldTheFactorOfTheLensIsTheOneReadBack() {
        bench.attach(opticalMax: 4)
        bench.send(.preview, #"{"fps": 30}"#)
        bench.send(.zoom, #"{"factor": 6}"#)
        bench.advance(by: .seconds(1))
        let last = bench.frontEnd.frames.last
        #expect(bench.state(.zoom)["optical"] == 4 && last?.optical == 4 && last?.factor == 6)
    }

    /// The zoom changes while the frame is encoded: its fields stay as they were.
    @Test func theFieldsAreNotThoseOfTheNewestState() {
        bench.media.held = [.preview]
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .milliseconds(100))
        let before = rev
        bench.send(.zoom, #"{"factor": 4}"#)
        bench.media.release(.preview)
        #expect(bench.frontEnd.frames.map(\.factor) == [1])
        #expect(bench.frontEnd.frames.map(\.rev) == [before] && rev != before)
        #expect(bench.frontEnd.frames.first?.viewport == Viewport(x: 0, y: 0, width: 1, height: 1))
    }

    /// Also of a frame that a recording shares, whose copy is cut out already.
    @Test(arguments: [true, false]) func aSharedFrameHasTheFieldsOfTheRecordedOne(isCopy: Bool) {
        bench.media.recordingsDecode = isCopy
        bench.startRecording()
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.frontEnd.frames.count > 5)
        #expect(bench.frontEnd.frames.map(\.frame) == bench.media.previewedFrames.map(\.number))
        #expect(bench.frontEnd.frames.allSatisfy { $0.factor == 2 && $0.viewport.width == 0.5 })
    }

    // MARK: Slow parts

    @Test func aSlowBrokerGetsFewerFramesAndTheNewestAfterwards() {
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .seconds(1))
        bench.frontEnd.hasCapacity = false
        let (sent, requested) = (frames, device.calls.count)
        bench.advance(by: .seconds(5))
        #expect(frames == sent && device.calls.count == requested, "a frame is made that can't be sent")
        bench.frontEnd.hasCapacity = true
        let resumed = bench.clock.now
        bench.advance(by: .milliseconds(200))
        #expect(2...6 ~= frames - sent, "old frames were kept")
        for call in device.calls.dropFirst(requested) {
            if case .frame(let time) = call { #expect(resumed.duration(to: time) > .milliseconds(-100)) }
        }
        #expect(bench.state(.preview)["live"] == true)
    }

    @Test func aSlowEncoderGetsOneFrameAtATime() {
        bench.media.held = [.preview]
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.media.pendingCalls(of: .preview) == 1 && frames == 0)
        bench.media.release(.preview)
        bench.advance(by: .milliseconds(40))
        #expect(bench.media.pendingCalls(of: .preview) == 1 && frames == 1)
    }

    @Test func aFrameThatIsReadyAfterItsLeaseIsDropped() {
        bench.media.held = [.preview]
        bench.send(.preview, #"{"fps": 30}"#)
        bench.turn()
        bench.send(.preview, "OFF")
        bench.media.release(.preview)
        #expect(frames == 0 && bench.state(.preview) == nil)
    }

    @Test func damagedFramesAreLeftOut() {
        bench.media.failures = [.preview: CommandError(.device, "The frame is damaged.")]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(frames == 0 && bench.state(.preview)["live"] == false)
        bench.media.failures = [:]
        bench.advance(by: .seconds(1))
        #expect(frames >= 9 && bench.state(.preview)["live"] == true)
    }

    /// With a key frame H.264 is intact again.
    @Test func damagedFramesRequestAKeyFrameOnceASecond() {
        bench.media.framesAreDamaged = true
        bench.media.failures = [.preview: CommandError(.device, "The frame is damaged.")]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .milliseconds(4_500))
        #expect((4...5).contains(device.keyFrameRequests))
        bench.media.failures = [:]
        bench.advance(by: .seconds(1))
        let requests = device.keyFrameRequests
        bench.advance(by: .seconds(5))
        #expect(device.keyFrameRequests == requests)
    }

    // MARK: Errors

    private var error: JSONValue { bench.state(.preview)["error"] }

    @Test(arguments: [true, false]) func framesThatCantBeEncodedAreAnErrorInTheState(isOfFrame: Bool) {
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(5))
        #expect(error == nil)
        bench.media.framesAreDamaged = isOfFrame
        bench.media.failures = [.preview: CommandError(.device, "It has 10 bits.")]
        bench.advance(by: .milliseconds(1_900))
        #expect(error == nil, "single frames may fail")
        bench.advance(by: .milliseconds(300))
        #expect(error["code"] == "device" && error["message"] == "It has 10 bits.")
        let states = bench.states(.preview).count
        bench.advance(by: .seconds(10))
        #expect(bench.states(.preview).count == states, "a state for each frame")
        bench.media.failures = [:]
        bench.advance(by: .milliseconds(200))
        #expect(error == nil && bench.state(.preview)["live"] == true)
        #expect(bench.states(.preview).count == states + 1)
    }

    @Test func aMissingLibraryIsAnErrorAtOnce() {
        bench.media.failures = [.preview: CommandError(.device, "The library is missing.")]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .milliseconds(100))
        #expect(error["message"] == "The library is missing." && bench.state(.preview)["live"] == false)
        bench.media.failures = [:]
        bench.advance(by: .milliseconds(200))
        #expect(error == nil && bench.state(.preview)["live"] == true)
    }

    /// Some cameras begin with damaged frames.
    @Test func damagedFramesAtTheBeginningAreAnErrorAfterAWhile() {
        bench.media.framesAreDamaged = true
        bench.media.failures = [.preview: CommandError(.device, "The frame is damaged.")]
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .milliseconds(1_900))
        #expect(error == nil)
        bench.advance(by: .milliseconds(200))
        #expect(error["message"] == "The frame is damaged.")
    }

    /// Two seconds pass from one frame to the next.
    @Test func aSingleFrameOfASlowPreviewIsNoError() {
        bench.send(.preview, #"{"fps": 0.5}"#)
        bench.advance(by: .seconds(3))
        bench.media.failures = [.preview: CommandError(.device, "The frame is damaged.")]
        bench.advance(by: .seconds(2))
        bench.media.failures = [:]
        bench.advance(by: .seconds(4))
        #expect(bench.states(.preview).allSatisfy { $0["error"] == nil })
    }

    @Test func aNewLeaseHasNoErrorOfTheOneBefore() {
        bench.media.failures = [.preview: CommandError(.device, "The library is missing.")]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(error != nil)
        bench.send(.preview, #"{"stop": true}"#)
        bench.media.held = [.preview]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(error == nil)
    }

    @Test func aDeviceWithoutFramesIsAskedTenTimesASecond() {
        device.failures = [.frame: .device("no frame came")]
        bench.send(.preview, #"{"fps": 60}"#)
        let before = device.calls.count
        bench.advance(by: .seconds(10))
        #expect(80...101 ~= device.calls.count - before && bench.state(.preview)["live"] == false)
        bench.send(.preview, #"{"stop": true}"#)
        let after = device.calls.count
        bench.advance(by: .seconds(10))
        #expect(device.calls.count == after, "the device is asked without a lease")
    }
}
