import Base
import Testing

/// What happens at a time. Times are long past or far ahead, so that no test waits for one.
@Suite(.timeLimit(.minutes(10))) struct TimerTests {
    let loop = EventLoop()
    let log = Log()
    let past = ContinuousClock.now - .seconds(1000)
    let future = ContinuousClock.now + .seconds(1000)

    /// What fired, in order.
    final class Log {
        var names: [String] = []
    }

    func timer(_ name: String, _ body: @escaping () -> Void = {}) -> LoopTimer {
        loop.timer { [log] in
            log.names.append(name)
            body()
        }
    }

    @Test func timersFireInTheOrderOfTheirTimesAndOnce() {
        let order = [5, 3, 9, 1, 7, 0, 8, 2, 6, 4]
        let timers = order.map { n in
            let timer = timer("\(n)")
            timer.set(at: past + .seconds(n))
            return timer
        }
        loop.runOnce(timeout: .zero)
        #expect(log.names == (0..<10).map(String.init))
        #expect(timers.allSatisfy { !$0.isSet })
        loop.runOnce(timeout: .zero)
        #expect(log.names.count == 10)
    }

    @Test func timersOfOneTimeFireInTheOrderInWhichTheyWereSet() {
        let timers = (0..<10).map { timer("\($0)") }
        for timer in timers { timer.set(at: past) }
        timers[3].set(at: past + .seconds(1))
        timers[3].set(at: past)
        timers[5].cancel()
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["0", "1", "2", "4", "6", "7", "8", "9", "3"])
    }

    @Test func whatIsNotDueWaits() {
        let timer = timer("late")
        timer.set(at: future)
        loop.runOnce(timeout: .zero)
        #expect(log.names.isEmpty)
        #expect(timer.isSet)
    }

    @Test func theLoopSleepsUntilATimerIsDueAndNoLonger() {
        let due = ContinuousClock.now + .milliseconds(20)
        let timer = timer("soon")
        timer.set(at: due)
        loop.runOnce(timeout: nil)
        #expect(log.names == ["soon"], "one turn is enough: the wait isn't a moment too short")
        #expect(loop.now >= due)
    }

    @Test func aTimerIsMoved() {
        let (first, second) = (timer("first"), timer("second"))
        first.set(at: past)
        second.set(at: past + .seconds(1))
        first.set(at: past + .seconds(2))
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["second", "first"])
        first.set(at: past)
        first.set(at: future)
        loop.runOnce(timeout: .zero)
        #expect(log.names.count == 2)
        first.set(after: .seconds(-5))
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["second", "first", "first"])
    }

    @Test func aTimerIsCancelled() {
        let timers = (0..<20).map { timer("\($0)") }
        for (n, timer) in timers.enumerated() { timer.set(at: past + .seconds((n * 7) % 20)) }
        for (n, timer) in timers.enumerated() where !n.isMultiple(of: 4) {
            if n.isMultiple(of: 2) {
                timer.cancel()
            } else {
                timer.set(at: Optional<ContinuousClock.Instant>.none)
            }
        }
        #expect(timers.filter(\.isSet).count == 5)
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["0", "12", "4", "16", "8"])
        timers[1].cancel()
        #expect(!timers[1].isSet)
    }

    /// Both are due; what the first does counts.
    @Test func aTimerThatAnotherCancelsOnTheSameTurnDoesNotFire() {
        let second = timer("second")
        let first = timer("first") { second.cancel() }
        first.set(at: past)
        second.set(at: past + .seconds(1))
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["first"])
    }

    @Test func aTimerThatAnotherMovesOnTheSameTurnFiresAtItsNewTimeOnly() {
        let second = timer("second")
        let first = timer("first") { [future] in second.set(at: future) }
        first.set(at: past)
        second.set(at: past + .seconds(1))
        loop.runOnce(timeout: .zero)
        #expect(log.names == ["first"])
        #expect(second.isSet)
    }

    @Test func aTimerThatSetsItselfAnewFiresOncePerTurn() {
        var timer: LoopTimer?
        timer = self.timer("again") { [past] in timer?.set(at: past) }
        timer?.set(at: past)
        for turn in 1...3 {
            loop.runOnce(timeout: .zero)
            #expect(log.names.count == turn)
        }
        timer?.cancel()
        timer = nil
    }

    @Test func aTimerThatIsSetIsReleasedWithItsLoop() {
        weak var held: Log?
        do {
            let (loop, log) = (EventLoop(), Log())
            loop.timer { log.names.append("late") }.set(at: future)
            held = log
            #expect(loop.nextTimer == future)
        }
        #expect(held == nil)
    }

    @Test func aTimerWithoutItsLoopCannotBeSet() {
        let timer = EventLoop().timer {}
        timer.set(at: future)
        #expect(!timer.isSet)
        timer.set(after: .zero)
        #expect(!timer.isSet)
    }

    @Test func aThousandTimersMovedAboutFireInOrder() {
        var fired: [Int] = []
        let timers = (0..<1000).map { n in loop.timer { fired.append(n) } }
        for round in 1...3 {
            for n in timers.indices { timers[n].set(at: past + .milliseconds((n * 7919 * round) % 1000)) }
        }
        loop.runOnce(timeout: .zero)
        #expect(fired == timers.indices.sorted { ($0 * 23757) % 1000 < ($1 * 23757) % 1000 })
    }
}
