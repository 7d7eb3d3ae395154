import Testing

@testable import Cameras

/// Which job the control thread gets next.
struct ControlQueueTests {
    private static let drive = ControlThread.Job.drive(.init(raw: 200))
    private static let stop = ControlThread.Job.halt(isMoving: true, known: nil)
    private let lens = V4L2Lens()

    /// All steps, with each job done immediately.
    private func drain(_ queue: inout ControlQueue, hasCrop: Bool = false) -> [ControlQueue.Step] {
        var steps: [ControlQueue.Step] = []
        while let step = queue.next(hasCrop: hasCrop), steps.count < 100 {
            steps.append(step)
            if step == .beginChange { queue.modeChangeEnded() } else { queue.jobFinished() }
        }
        return steps
    }

    @Test func theThreadHasOneJobAtATime() {
        var queue = ControlQueue()
        _ = queue.add(setting: 1)
        _ = queue.add(setting: 2)
        #expect(queue.next(hasCrop: false) == .set(1))
        #expect(queue.next(hasCrop: false) == nil)
        #expect(queue.isThreadBusy)
        queue.jobFinished()
        #expect(queue.next(hasCrop: false) == .set(2))
    }

    @Test func aNewRequestToTheLensReplacesOneThatWaits() {
        var queue = ControlQueue()
        queue.add(lensJob: Self.drive)
        queue.add(lensJob: Self.stop)
        #expect(drain(&queue) == [.run(Self.stop)])
    }

    @Test func theLensAndTheOthersTakeTurns() {
        var queue = ControlQueue()
        for number in 1...2 { _ = queue.add(setting: number) }
        _ = queue.addModeChange()
        var steps: [ControlQueue.Step] = []
        // The lens always has the next job.
        for _ in 0..<6 {
            queue.add(lensJob: Self.drive)
            guard let step = queue.next(hasCrop: false) else { continue }
            steps.append(step)
            if step == .beginChange { queue.modeChangeEnded() } else { queue.jobFinished() }
        }
        #expect(
            steps == [.run(Self.drive), .beginChange, .run(Self.drive), .set(1), .run(Self.drive), .set(2)])
    }

    @Test func aStopIsNextWhateverWaits() {
        var queue = ControlQueue()
        queue.add(lensJob: Self.drive)
        _ = queue.next(hasCrop: false)
        _ = queue.add(setting: 1)
        _ = queue.addModeChange()
        queue.add(lensJob: Self.stop)
        queue.jobFinished()
        #expect(queue.next(hasCrop: false) == .run(Self.stop))
    }

    @Test func changesOfTheModeAreMadeOneAfterTheOther() {
        var queue = ControlQueue()
        _ = queue.addModeChange()
        _ = queue.addModeChange()
        #expect(queue.next(hasCrop: false) == .beginChange)
        #expect(queue.next(hasCrop: false) == nil)
        #expect(queue.changes == 1)
        queue.modeChanged(to: lens)
        #expect(queue.next(hasCrop: false) == .run(.adopt(lens)))
        queue.jobFinished()
        #expect(queue.next(hasCrop: false) == nil, "the first one has not ended")
        queue.modeChangeEnded()
        #expect(queue.next(hasCrop: false) == .beginChange)
    }

    @Test func whileTheCropChangesTheControlThreadGetsNothing() {
        var queue = ControlQueue()
        _ = queue.addModeChange()
        #expect(queue.next(hasCrop: true) == .beginChange)
        queue.add(lensJob: Self.stop)
        _ = queue.add(setting: 1)
        #expect(queue.next(hasCrop: true) == nil)
        queue.modeChanged(to: lens)
        #expect(queue.next(hasCrop: true) == .run(.adopt(lens)), "before the stop, which depends on the crop")
    }

    @Test func withoutACropBothThreadsGoOn() {
        var queue = ControlQueue()
        _ = queue.addModeChange()
        _ = queue.add(setting: 1)
        #expect(queue.next(hasCrop: false) == .beginChange)
        #expect(queue.next(hasCrop: false) == .set(1))
        queue.jobFinished()
        queue.modeChanged(to: lens)
        queue.add(lensJob: Self.stop)
        #expect(drain(&queue) == [.run(Self.stop), .run(.adopt(lens))])
    }

    @Test func aRefreshComesLast() {
        var queue = ControlQueue()
        queue.addRefresh()
        queue.addRefresh()
        _ = queue.add(setting: 1)
        #expect(drain(&queue) == [.set(1), .run(.refresh)])
    }

    @Test func tooManyAreRefused() {
        var queue = ControlQueue()
        for number in 0..<ControlQueue.maxWaiting {
            let (setting, change) = (queue.add(setting: number), queue.addModeChange())
            #expect(setting && change)
        }
        let (setting, change) = (queue.add(setting: 99), queue.addModeChange())
        #expect(!setting && !change)
    }
}
