/// How many pictures may be on their way to a page.
///
/// The delay of a picture is the time until the page reports that it has drawn it. A network with large
/// buffers takes any number of pictures, and delays them by seconds. So there are no more on the way than the
/// least delay of the last ten seconds needs for the rate of the page, plus one; and fewer when the delay
/// grows.
struct PictureWindow {
    private static let sizes = 2...8
    /// The least delay is that of this time.
    private static let memory = Duration.seconds(10)
    /// A delay beyond the least one by more than this means that pictures queue in the network.
    private static let tolerance = Duration.milliseconds(100)

    /// Frames per second that the page wants, of all cameras.
    var rate = 0.0
    private var sent: [(number: Int, time: ContinuousClock.Instant)] = []
    /// The least delays of the last seconds, each with its time.
    private var least: [(delay: Duration, time: ContinuousClock.Instant)] = []
    /// By how many the size was reduced.
    private var reduction = 0
    /// The next growth: a reduction stays for a second at the least.
    private var mayGrow: ContinuousClock.Instant?

    var hasRoom: Bool { sent.count < size }

    var isEmpty: Bool { sent.isEmpty }

    /// The number of pictures that may be on their way.
    var size: Int {
        guard let delay = least.map(\.delay).min() else { return Self.sizes.lowerBound }
        let needed = (delay / .seconds(1) * rate).rounded(.up) + 1
        return max(Self.sizes.lowerBound, min(Self.sizes.upperBound, Int(needed)) - reduction)
    }

    mutating func send(_ number: Int, at time: ContinuousClock.Instant) { sent.append((number, time)) }

    /// The page has drawn a picture. Those before it were drawn too, or never will be.
    mutating func drawn(_ number: Int, at time: ContinuousClock.Instant) {
        guard let index = sent.firstIndex(where: { $0.number == number }) else { return }
        let delay = time - sent[index].time
        sent.removeSubrange(...index)
        note(delay, at: time)
        let leastDelay = least.map(\.delay).min() ?? delay
        if delay > leastDelay + Self.tolerance {
            reduction = min(reduction + 1, Self.sizes.upperBound - Self.sizes.lowerBound)
            mayGrow = time + .seconds(1)
        } else if reduction > 0, mayGrow.map({ time >= $0 }) ?? true {
            reduction -= 1
            mayGrow = time + .seconds(1)
        }
    }

    /// Keeps the least delay of each second.
    private mutating func note(_ delay: Duration, at time: ContinuousClock.Instant) {
        least.removeAll { time - $0.time > Self.memory }
        if let last = least.last, time - last.time < .seconds(1) {
            if delay < last.delay { least[least.count - 1].delay = delay }
        } else {
            least.append((delay, time))
        }
    }
}
