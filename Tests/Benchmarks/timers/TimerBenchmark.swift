import Base

/// Sets, moves and fires timers of one loop, in virtual time, and prints the nanoseconds that each takes.
@main
enum TimerBenchmark {
    private static let (count, moves) = (10_000, 10)

    static func main() {
        var now = ContinuousClock.now
        let loop = EventLoop { now }
        var fired = 0
        let timers = (0..<count).map { _ in loop.timer { fired += 1 } }
        func set(_ round: Int) {
            for (number, timer) in timers.enumerated() {
                timer.set(after: .microseconds((number * 7919 * round) % 1_000_003))
            }
        }
        let first = ContinuousClock.now
        for round in 1...moves { set(round) }
        let second = ContinuousClock.now
        now += .seconds(2)
        loop.runOnce(timeout: .zero)
        let third = ContinuousClock.now
        precondition(fired == count)
        print(
            "{\"set\": \((second - first) / moves / count / .nanoseconds(1)), \"fire\": \((third - second) / count / .nanoseconds(1))}"
        )
    }
}
