import Contract
import Testing

@testable import Cameras

/// The calls of a camera: which job the control thread gets next, and whose completions are called.
struct CameraCallsTests {
    private static let drive = ControlThread.Job.drive(.init(raw: 200))
    private static let stop = ControlThread.Job.halt(isMoving: true, known: nil)
    private static let lens = V4L2Lens()
    private static let cropping: V4L2Lens = {
        let bounds = V4L2Lens.Rectangle(left: 0, top: 0, width: 640, height: 480)
        return V4L2Lens(crop: .init(bounds: bounds, max: 2))
    }()
    private static let mode = CameraMode(pixelFormat: "YUYV", width: 640, height: 480, rate: 30)
    private static let change = CameraCalls.Step.change(mode, then: [])

    /// The job that sets controls to this value.
    private static func set(_ value: Double) -> ControlThread.Job { .set(["gain": .number(value)]) }

    private func addSetting(_ value: Double, to calls: inout CameraCalls) -> Bool {
        calls.add((["gain": .number(value)], { _ in }))
    }

    private func addModeChange(to calls: inout CameraCalls) -> Bool { calls.add(Self.mode) { _ in } }

    private func finish(_ step: CameraCalls.Step, in calls: inout CameraCalls) {
        if case .run = step { calls.jobFinished() } else { calls.modeChange = .none }
    }

    /// All steps, with each job done immediately.
    private func drain(_ calls: inout CameraCalls) -> [CameraCalls.Step] {
        var steps: [CameraCalls.Step] = []
        while let step = calls.next(with: Self.lens), steps.count < 100 {
            steps.append(step)
            finish(step, in: &calls)
        }
        return steps
    }

    // MARK: The next step

    @Test func theThreadHasOneJobAtATime() {
        var calls = CameraCalls()
        for value in [1.0, 2] { _ = addSetting(value, to: &calls) }
        #expect(calls.next(with: Self.lens) == .run(Self.set(1)))
        #expect(calls.next(with: Self.lens) == nil)
        #expect(calls.isThreadBusy)
        calls.jobFinished()
        #expect(calls.next(with: Self.lens) == .run(Self.set(2)))
    }

    @Test func aNewRequestToTheLensReplacesOneThatWaits() {
        var calls = CameraCalls()
        calls.add(lensJob: Self.drive)
        calls.add(lensJob: Self.stop)
        #expect(drain(&calls) == [.run(Self.stop)])
    }

    @Test func theLensAndTheOthersTakeTurns() {
        var calls = CameraCalls()
        for value in [1.0, 2] { _ = addSetting(value, to: &calls) }
        _ = addModeChange(to: &calls)
        var steps: [CameraCalls.Step] = []
        // The lens always has the next job.
        for _ in 0..<6 {
            calls.add(lensJob: Self.drive)
            guard let step = calls.next(with: Self.lens) else { continue }
            steps.append(step)
            finish(step, in: &calls)
        }
        let drive = CameraCalls.Step.run(Self.drive)
        #expect(steps == [drive, Self.change, drive, .run(Self.set(1)), drive, .run(Self.set(2))])
    }

    @Test func aStopIsNextWhateverWaits() {
        var calls = CameraCalls()
        calls.add(lensJob: Self.drive)
        _ = calls.next(with: Self.lens)
        _ = addSetting(1, to: &calls)
        _ = addModeChange(to: &calls)
        calls.add(lensJob: Self.stop)
        calls.jobFinished()
        #expect(calls.next(with: Self.lens) == .run(Self.stop))
    }

    @Test func changesOfTheModeAreMadeOneAfterTheOther() {
        var calls = CameraCalls()
        for _ in 0..<2 { _ = addModeChange(to: &calls) }
        #expect(calls.next(with: Self.lens) == Self.change)
        #expect(calls.next(with: Self.lens) == nil)
        calls.modeChanged(to: Self.mode, movesLens: false)
        #expect(calls.next(with: Self.lens) == .run(.adopt(Self.lens)))
        calls.jobFinished()
        #expect(calls.next(with: Self.lens) == nil, "the first one has not ended")
        calls.modeChange = .none
        #expect(calls.next(with: Self.lens) == Self.change)
    }

    @Test func whileTheCropChangesTheControlThreadGetsNothing() {
        var calls = CameraCalls()
        _ = addModeChange(to: &calls)
        #expect(calls.next(with: Self.cropping) == Self.change)
        calls.add(lensJob: Self.stop)
        _ = addSetting(1, to: &calls)
        #expect(calls.next(with: Self.cropping) == nil)
        calls.modeChanged(to: Self.mode, movesLens: true)
        let next = calls.next(with: Self.cropping)
        #expect(next == .run(.adopt(Self.cropping)), "before the stop, which depends on the crop")
    }

    @Test func withoutACropBothThreadsGoOn() {
        var calls = CameraCalls()
        _ = addModeChange(to: &calls)
        _ = addSetting(1, to: &calls)
        #expect(calls.next(with: Self.lens) == Self.change)
        #expect(calls.next(with: Self.lens) == .run(Self.set(1)))
        calls.jobFinished()
        calls.modeChanged(to: Self.mode, movesLens: false)
        calls.add(lensJob: Self.stop)
        #expect(drain(&calls) == [.run(Self.stop), .run(.adopt(Self.lens))])
    }

    @Test func aRefreshComesLast() {
        var calls = CameraCalls()
        calls.addRefresh()
        calls.addRefresh()
        calls.addKeyFrame(7)
        _ = addSetting(1, to: &calls)
        #expect(drain(&calls) == [.run(Self.set(1)), .run(.forceKeyFrame(7)), .run(.refresh)])
    }

    @Test func tooManyAreRefused() {
        var calls = CameraCalls()
        for number in 0...CameraCalls.maxWaiting {
            let (setting, change) = (addSetting(1, to: &calls), addModeChange(to: &calls))
            let hasRoom = number < CameraCalls.maxWaiting
            #expect(setting == hasRoom && change == hasRoom)
        }
    }

    @Test func framesBehindAModeThatWaitsAreHeldUntilTheLastBegins() {
        var calls = CameraCalls()
        for _ in 0..<2 { _ = addModeChange(to: &calls) }
        let time = ContinuousClock.now
        #expect(calls.addFrame(after: time) { _ in } == nil)
        #expect(calls.next(with: Self.lens) == Self.change)
        calls.modeChange = .none
        #expect(
            calls.next(with: Self.lens) == .change(Self.mode, then: [.init(number: 1, after: time)]))
        calls.modeChange = .none
        _ = addModeChange(to: &calls)
        #expect(calls.next(with: Self.lens) == Self.change)
    }

    // MARK: Readings

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
