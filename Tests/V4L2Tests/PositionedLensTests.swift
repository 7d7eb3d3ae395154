import Testing

@testable import Cameras

/// A motor from factor 1 (100) to 5 (500), driven with values: requests, results and events in, actions out.
struct PositionedLensTests {
    private static let start = ContinuousClock.now
    private static let calibration = Calibration(minimum: 100, maximum: 500)
    private let now = start

    private func lens(at raw: Int64 = 100, crop: V4L2Lens.Crop? = nil) throws -> PositionedLens {
        let motor = V4L2Lens.Motor(
            control: 7, range: 100...500, step: 1, calibration: try #require(Self.calibration))
        return PositionedLens(V4L2Lens(motor: motor, crop: crop), at: Self.place(raw))
    }

    private static func place(_ raw: Int64, isBeforeGoal: Bool = false) -> LensPosition {
        LensPosition(factor: Double(raw) / 100, raw: raw, isBeforeGoal: isBeforeGoal)
    }

    private func reports(_ actions: [LensAction]) -> [LensReport] {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    private func jobs(_ actions: [LensAction]) -> [ControlThread.Job] {
        actions.compactMap { if case .run(let job) = $0 { job } else { nil } }
    }

    @Test func aRequestIsReportedWhenItWasCarriedOut() throws {
        var lens = try lens()
        #expect(
            lens.request(3, at: now) == [.wake(at: nil), .forgetMotorEvents, .run(.drive(.init(raw: 300)))])
        #expect(lens.awaitsReport)
        let actions = lens.finished(.driven(.success(Self.place(300))), at: now)
        #expect(reports(actions) == [.written(optical: 3, moving: false)])
        #expect(!lens.awaitsReport && lens.state == .still && lens.optical(at: now) == 3)
    }

    @Test func theSameStepNeedsNoSecondCall() throws {
        var lens = try lens()
        _ = lens.request(3, at: now)
        _ = lens.finished(.driven(.success(Self.place(300))), at: now)
        #expect(lens.request(3.004, at: now) == [.report(.written(optical: 3, moving: false))])
    }

    @Test func afterAnotherProgramTheSameStepIsSetAgain() throws {
        var lens = try lens()
        _ = lens.request(3, at: now)
        _ = lens.finished(.driven(.success(Self.place(300))), at: now)
        #expect(reports(lens.motorMoved(to: 200, at: now)) == [.taken(optical: 2)])
        #expect(jobs(lens.request(3, at: now)) == [.drive(.init(raw: 300))])
    }

    @Test func aSlowMotorIsPolledUntilItIsThere() throws {
        var lens = try lens()
        _ = lens.request(5, at: now)
        let sent = lens.finished(.driven(.success(Self.place(100, isBeforeGoal: true))), at: now)
        #expect(reports(sent) == [.written(optical: 1, moving: true)])
        #expect(sent.contains(.wake(at: now + PositionedLens.pollInterval)))
        #expect(lens.wake(at: now) == [.run(.poll)])
        #expect(
            reports(lens.finished(.polled(.success(Self.place(300))), at: now)) == [
                .moved(optical: 3, moving: true)
            ])
        let last = lens.finished(.polled(.success(Self.place(500))), at: now)
        #expect(reports(last) == [.moved(optical: 5, moving: false)])
        #expect(lens.wake(at: now) == [])
    }

    @Test func aMotorThatDoesNotGetThereCountsAsStopped() throws {
        var lens = try lens()
        _ = lens.request(5, at: now)
        _ = lens.finished(.driven(.success(Self.place(100, isBeforeGoal: true))), at: now)
        var polls = 0
        while lens.isMoving && polls < 100 {
            _ = lens.finished(.polled(.success(Self.place(250))), at: now)
            polls += 1
        }
        // The first reading is another one than before.
        #expect(polls == PositionedLens.maxSameReadings + 1)
        #expect(
            jobs(lens.request(5, at: now)) == [.drive(.init(raw: 500))], "a new request, not a repetition")
    }

    @Test func aStopReplacesARequestWhoseResultIsIgnoredThen() throws {
        var lens = try lens()
        _ = lens.request(5, at: now)
        #expect(
            lens.stop(isThreadBusy: true, known: 150) == [
                .wake(at: nil), .run(.halt(isMoving: true, known: 150)),
            ])
        #expect(lens.finished(.driven(.success(Self.place(100, isBeforeGoal: true))), at: now) == [])
        #expect(
            reports(lens.finished(.halted(.success(Self.place(160))), at: now)) == [.stopped(optical: 1.6)])
        #expect(lens.state == .still)
    }

    @Test func aStopOfALensThatStandsStillSetsNothing() throws {
        var lens = try lens()
        #expect(jobs(lens.stop(isThreadBusy: false, known: nil)) == [.halt(isMoving: false, known: nil)])
    }

    @Test func aFailureIsReportedAndTheLensIsWhereItWas() throws {
        var lens = try lens(at: 200)
        _ = lens.request(5, at: now)
        let error = CameraError.device("busy")
        #expect(reports(lens.finished(.driven(.failure(error)), at: now)) == [.failed(error)])
        #expect(lens.state == .still && lens.optical(at: now) == 2)
    }

    @Test func aDeviceThatIsGoneLeavesTheRequestToItsOwner() throws {
        var lens = try lens()
        _ = lens.request(5, at: now)
        #expect(lens.finished(.driven(.failure(.unplugged)), at: now) == [.deviceGone])
        #expect(lens.awaitsReport)
    }

    /// On its way a motor passes values between its start and its goal.
    @Test(arguments: [(300, true), (500, true), (100, true), (50, false)])
    func anEventOnOurWayIsNotAnotherProgram(raw: Int64, isOurs: Bool) throws {
        var lens = try lens(at: 150)
        _ = lens.request(5, at: now)
        _ = lens.finished(.driven(.success(Self.place(100, isBeforeGoal: true))), at: now)
        #expect(reports(lens.motorMoved(to: raw, at: now)).isEmpty == isOurs)
    }

    @Test func anEventDuringAStopIsNotReported() throws {
        var lens = try lens()
        _ = lens.stop(isThreadBusy: false, known: nil)
        #expect(reports(lens.motorMoved(to: 400, at: now)) == [])
        #expect(lens.optical(at: now) == 4)
    }

    // MARK: Turned externally while it is driven

    /// A motor that goes to what was written last, as its driver reads it back.
    private struct Driver {
        var motor: Int64

        /// Carries out the jobs, and those that follow from their results.
        mutating func carryOut(
            _ actions: [LensAction], on lens: inout PositionedLens, at now: ContinuousClock.Instant
        ) {
            for case .run(let job) in actions {
                switch job {
                case .drive(let goal):
                    motor = goal.raw ?? motor
                    carryOut(
                        lens.finished(.driven(.success(PositionedLensTests.place(motor))), at: now),
                        on: &lens, at: now)
                case .settle(let goal):
                    motor = goal.raw ?? motor
                    carryOut(
                        lens.finished(.settled(.success(PositionedLensTests.place(motor))), at: now),
                        on: &lens, at: now)
                case .halt(_, let known):
                    motor = known ?? motor
                    carryOut(
                        lens.finished(.halted(.success(PositionedLensTests.place(motor))), at: now),
                        on: &lens, at: now)
                default: Issue.record("\(job)")
                }
            }
        }
    }

    /// The turn may come first on the device, and be reported last: what was written counts as undone.
    @Test func aTurnThatIsReportedAfterAWriteThatOverlappedWithItIsWrittenAgain() throws {
        var lens = try lens(at: 200)
        var driver = Driver(motor: 200)
        let request = lens.request(2.05, at: now)
        driver.motor = 480
        driver.carryOut(request, on: &lens, at: now)
        #expect(driver.motor == 205)
        let actions = lens.motorMoved(to: 480, at: now + .milliseconds(50))
        #expect(reports(actions) == [.taken(optical: 4.8)])
        driver.carryOut(actions, on: &lens, at: now + .milliseconds(50))
        #expect(driver.motor == 480 && lens.optical(at: now) == 4.8 && lens.state == .still)
        // The report of a write isn't answered by another write for ever.
        #expect(jobs(lens.motorMoved(to: 479, at: now + .milliseconds(60))).isEmpty)
        #expect(lens.optical(at: now) == 4.79)
    }

    @Test func aTurnThatGoesOnIsWrittenAgainToo() throws {
        var lens = try lens(at: 200)
        _ = lens.request(2.05, at: now)
        _ = lens.finished(.driven(.success(Self.place(205))), at: now)
        #expect(jobs(lens.motorMoved(to: 480, at: now)) == [.settle(.init(raw: 480))])
        #expect(jobs(lens.motorMoved(to: 300, at: now)) == [.settle(.init(raw: 300))])
    }

    @Test func aTurnLongAfterAWriteIsBelieved() throws {
        var lens = try lens(at: 200)
        _ = lens.request(2.05, at: now)
        _ = lens.finished(.driven(.success(Self.place(205))), at: now)
        let actions = lens.motorMoved(to: 480, at: now + .seconds(1))
        #expect(reports(actions) == [.taken(optical: 4.8)] && jobs(actions).isEmpty)
    }

    /// With `external: reassert` no stop follows the turn, so the write that was under way is repeated.
    @Test func aTurnThatIsReportedDuringAWriteHasItRepeated() throws {
        var lens = try lens(at: 200)
        let drive = ControlThread.Job.drive(.init(raw: 205))
        #expect(jobs(lens.request(2.05, at: now)) == [drive])
        #expect(reports(lens.motorMoved(to: 480, at: now)) == [.taken(optical: 4.8)])
        let first = lens.finished(.driven(.success(Self.place(205))), at: now)
        #expect(jobs(first) == [drive] && reports(first).isEmpty && lens.awaitsReport)
        let second = lens.finished(.driven(.success(Self.place(205))), at: now)
        #expect(reports(second) == [.written(optical: 2.05, moving: false)] && jobs(second).isEmpty)
    }

    @Test func aRequestReplacesTheRepetitionOfATurn() throws {
        var lens = try lens(at: 200)
        _ = lens.request(2.05, at: now)
        _ = lens.finished(.driven(.success(Self.place(205))), at: now)
        #expect(jobs(lens.motorMoved(to: 480, at: now)) == [.settle(.init(raw: 480))])
        #expect(jobs(lens.request(3, at: now)) == [.drive(.init(raw: 300))])
        #expect(lens.finished(.settled(.success(Self.place(480))), at: now) == [])
        let actions = lens.finished(.driven(.success(Self.place(300))), at: now)
        #expect(reports(actions) == [.written(optical: 3, moving: false)])
    }

    @Test func aSlowMotorIsPolledUntilItIsWhereItWasTurned() throws {
        var lens = try lens(at: 200)
        _ = lens.request(2.05, at: now)
        _ = lens.finished(.driven(.success(Self.place(205))), at: now)
        _ = lens.motorMoved(to: 480, at: now)
        let sent = lens.finished(.settled(.success(Self.place(210, isBeforeGoal: true))), at: now)
        #expect(reports(sent) == [.moved(optical: 2.1, moving: true)])
        #expect(lens.wake(at: now) == [.run(.poll)])
        let last = lens.finished(.polled(.success(Self.place(480))), at: now)
        #expect(reports(last) == [.moved(optical: 4.8, moving: false)])
    }

    @Test(arguments: [CameraError.device("busy"), .unplugged])
    func aFailureToRepeatATurnLeavesTheLensWhereItWasReported(error: CameraError) throws {
        var lens = try lens(at: 200)
        _ = lens.request(2.05, at: now)
        _ = lens.finished(.driven(.success(Self.place(205))), at: now)
        _ = lens.motorMoved(to: 480, at: now)
        let actions = lens.finished(.settled(.failure(error)), at: now)
        #expect(actions == (error == .unplugged ? [.deviceGone] : []))
        #expect(lens.state == .still && lens.optical(at: now) == 4.8)
        #expect(jobs(lens.request(2.05, at: now)) == [.drive(.init(raw: 205))])
    }

    @Test func aRequestThatWaitedForAModeGetsItsCrop() throws {
        let bounds = V4L2Lens.Rectangle(left: 0, top: 0, width: 1600, height: 900)
        let (before, after) = (V4L2Lens.Crop(bounds: bounds, max: 2), V4L2Lens.Crop(bounds: bounds, max: 1))
        var lens = try lens(at: 500, crop: before)
        _ = lens.request(10, at: now)
        let actions = lens.cropChanged(after, factor: 1)
        #expect(jobs(actions) == [.drive(.init(raw: 500, rectangle: bounds))])
        #expect(lens.lens.max == 5 && lens.optical(at: now) == 5)
    }
}
