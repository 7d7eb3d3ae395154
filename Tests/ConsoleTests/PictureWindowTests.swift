import Testing

@testable import Server

@Suite struct PictureWindowTests {
    private let start = ContinuousClock.now

    /// Draws a picture after each delay, one after the other.
    private func draw(
        _ window: inout PictureWindow, _ delay: Duration, count: Int = 1,
        from time: inout ContinuousClock.Instant
    ) {
        for _ in 0..<count {
            let number = Int((time - start) / .microseconds(1))
            window.send(number, at: time)
            time += delay
            window.drawn(number, at: time)
        }
    }

    @Test func itBeginsWithTwo() {
        var window = PictureWindow()
        window.rate = 30
        #expect(window.size == 2)
        window.send(1, at: start)
        #expect(window.hasRoom)
        window.send(2, at: start)
        #expect(!window.hasRoom)
        window.drawn(2, at: start + .milliseconds(20))
        #expect(window.isEmpty, "the one before it will not be drawn any more")
    }

    @Test(arguments: [
        (10, 30.0, 2), (33, 30, 2), (34, 30, 3), (100, 30, 4), (150, 30, 6), (250, 30, 8), (5000, 60, 8),
        (100, 2, 2),
        (100, 60, 7),
    ])
    func itHasTheSizeThatTheDelayNeeds(milliseconds: Int, rate: Double, size: Int) {
        var window = PictureWindow(), time = start
        window.rate = rate
        draw(&window, .milliseconds(milliseconds), from: &time)
        #expect(window.size == size)
    }

    @Test func itShrinksWhileTheDelayGrowsAndRecovers() {
        var window = PictureWindow(), time = start
        window.rate = 30
        draw(&window, .milliseconds(150), from: &time)
        #expect(window.size == 6)
        draw(&window, .milliseconds(250), from: &time)
        #expect(window.size == 6, "100 ms more are tolerated")
        draw(&window, .milliseconds(251), from: &time)
        #expect(window.size == 5)
        draw(&window, .milliseconds(400), count: 9, from: &time)
        #expect(window.size == 2, "there are always two")
        // A reduction stays for a second; then one more is on the way each second.
        draw(&window, .milliseconds(150), from: &time)
        #expect(window.size == 2)
        draw(&window, .milliseconds(150), count: 70, from: &time)
        #expect(window.size == 6)
    }

    @Test func theLeastDelayIsThatOfTenSeconds() {
        var window = PictureWindow(), time = start
        window.rate = 30
        draw(&window, .milliseconds(50), from: &time)
        #expect(window.size == 3)
        draw(&window, .milliseconds(140), count: 80, from: &time)
        #expect(window.size == 6, "11 s later the path is longer")
    }

    @Test func numbersThatWereNotSentAreIgnored() {
        var window = PictureWindow()
        window.send(1, at: start)
        window.drawn(2, at: start)
        window.drawn(-1, at: start)
        window.drawn(.max, at: start)
        #expect(!window.isEmpty)
        window.drawn(1, at: start)
        window.drawn(1, at: start)
        #expect(window.isEmpty)
    }

    /// A page behind a link of 3 Mbit/s that takes any number of pictures into its buffer. A picture is made
    /// every 33 ms; the newest one waits for the window. Its age counts from its exposure to its drawing.
    @Test(arguments: [12_000, 30_000, 45_000])
    func onASlowLinkWithADeepBufferPicturesStayNew(bytes: Int) {
        var window = PictureWindow()
        window.rate = 30
        let serial = Duration.seconds(Double(bytes * 8) / 3e6), path = Duration.milliseconds(20)
        var linkIsFree = start, waiting: ContinuousClock.Instant?
        var onTheWay: [(number: Int, exposed: ContinuousClock.Instant, drawn: ContinuousClock.Instant)] = []
        var ages: [Duration] = [], number = 0
        func send(at time: ContinuousClock.Instant) {
            guard let exposed = waiting, window.hasRoom else { return }
            waiting = nil
            number += 1
            window.send(number, at: time)
            linkIsFree = max(linkIsFree, time) + serial
            onTheWay.append((number, exposed, linkIsFree + path))
        }
        for step in 0..<60_000 {
            let time = start + .milliseconds(step)
            while let first = onTheWay.first, first.drawn <= time {
                onTheWay.removeFirst()
                ages.append(time - first.exposed)
                window.drawn(first.number, at: time)
                send(at: time)
            }
            if step % 33 == 0 {
                waiting = time
                send(at: time)
            }
        }
        let sorted = ages.sorted()
        #expect(sorted[sorted.count / 2] <= .milliseconds(300), "median \(sorted[sorted.count / 2])")
        #expect(
            sorted[sorted.count * 95 / 100] <= .milliseconds(600),
            "of 95 % \(sorted[sorted.count * 95 / 100])")
        let possible = min(60.0 * 1000 / 33, 60 / (serial / .seconds(1)))
        #expect(
            Double(ages.count) >= possible * 0.9, "the link is used: \(ages.count) of \(possible) pictures")
    }
}
