import MQTTFrontEnd
import Testing

/// Two devices with one name: which of them is told from an earlier run, and which of them waits.
@Suite struct NameConflictTests {
    /// One device in virtual time. Times are in seconds since its start.
    private struct Device {
        var conflict: NameConflict
        private let start = ContinuousClock.now
        var seconds = 0.0

        init(_ run: String = "a", spread: Duration = .zero) {
            conflict = NameConflict(run: run, spread: spread)
        }

        var now: ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
        var standing: NameConflict.Standing { conflict.standing }

        /// A connection of this length, which ended; returns the wait after it.
        @discardableResult
        mutating func connection(
            _ length: Double, isTakeover: Bool = false, hasOwnInfo: Bool = false,
            kept other: String?? = .none
        ) -> Duration? {
            connect(hasOwnInfo: hasOwnInfo, kept: other)
            return end(after: length, isTakeover: isTakeover)
        }

        /// - Parameter other: the identity in the `info` of another run that the broker has.
        @discardableResult
        mutating func connect(hasOwnInfo: Bool = false, kept other: String?? = .none) -> NameConflict.Step {
            conflict.connected(at: now)
            var step = NameConflict.Step.nothing
            if let other { step = conflict.otherInfoCame(other, isRetained: true, at: now) }
            if hasOwnInfo, case let own = conflict.ownInfoCame(at: now), step == .nothing { step = own }
            return step
        }

        mutating func end(after length: Double, isTakeover: Bool = false) -> Duration? {
            pass(length)
            return conflict.connectionEnded(isTakeover: isTakeover, at: now)
        }

        mutating func new(_ other: String?) -> NameConflict.Step {
            conflict.otherInfoCame(other, isRetained: false, at: now)
        }

        mutating func pass(_ time: Double) {
            let end = seconds + time
            while let next = conflict.nextCheck, next <= start.advanced(by: .seconds(end)) {
                seconds = max(seconds, start.duration(to: next) / .seconds(1))
                conflict.check(at: now)
            }
            seconds = end
        }
    }

    // MARK: Brokers that report a takeover

    @Test func theDeviceThatWasConnectedForLongComesBackAtOnce() {
        var device = Device()
        #expect(device.connection(3_600, isTakeover: true) == .milliseconds(250))
        #expect(device.standing == .first)
    }

    @Test func theDeviceThatCameSecondWaitsTenMinutes() {
        var device = Device("b")
        #expect(device.connection(0.3, isTakeover: true) == .seconds(600))
        #expect(device.standing == .second)
    }

    /// While the other device is there, each attempt ends at once.
    @Test func theSecondDeviceTakesThePlaceOnceTheFirstIsGone() {
        var device = Device("b")
        device.connection(0.3, isTakeover: true)
        for _ in 0..<3 {
            device.pass(600)
            #expect(device.connection(0.3, isTakeover: true) == .seconds(600))
            #expect(device.standing == .second)
        }
        device.pass(600)
        device.connect()
        device.pass(59)
        #expect(device.standing == .second)
        device.pass(2)
        #expect(device.standing == .alone)
        // It is the first one from now on.
        #expect(device.end(after: 10, isTakeover: true) == .milliseconds(250))
        #expect(device.standing == .first)
    }

    @Test func theFirstDeviceReportsTheOtherAsLongAsThatMakesAttempts() {
        var device = Device()
        for _ in 0..<4 {
            #expect(device.connection(600, isTakeover: true) == .milliseconds(250))
            #expect(device.standing == .first)
        }
        device.connect()
        device.pass(1_499)
        #expect(device.standing == .first)
        device.pass(2)
        #expect(device.standing == .alone)
    }

    /// A device with an earlier version never gives way. Then this one does, so that one of them works.
    @Test func theFirstDeviceGivesWayToOneThatNeverDoes() {
        var device = Device()
        device.connection(3_600, isTakeover: true)
        let waits = (0..<6).map { _ in device.connection(0.3, isTakeover: true) }
        #expect(waits == Array(repeating: .milliseconds(250), count: 5) + [.seconds(600)])
        #expect(device.standing == .second)
    }

    /// Two parts of a cluster were separate, and each device was connected to one of them.
    @Test func ofTwoDevicesThatWereConnectedForLongOneGivesWay() {
        var (a, b) = (Device("a"), Device("b"))
        #expect(a.connection(3_600, isTakeover: true) == .milliseconds(250))
        #expect(b.connection(3_600, isTakeover: true) == .milliseconds(250))
        var waiting = 0
        for _ in 0..<6 where waiting == 0 {
            if a.connection(0.3, isTakeover: true) == .seconds(600) { waiting += 1 }
            if waiting == 0, b.connection(0.3, isTakeover: true) == .seconds(600) { waiting += 1 }
        }
        #expect(waiting == 1 && a.standing == .second && b.standing == .first)
    }

    // MARK: What is no second device

    /// A new process finds what a killed one has left: its session, its `info`.
    @Test(arguments: ["earlier", nil])
    func anEarlierRunIsNoSecondDevice(run: String?) {
        var device = Device()
        #expect(device.connect(hasOwnInfo: true, kept: .some(run)) == .nothing)
        #expect(device.standing == .alone)
        #expect(device.end(after: 3_600) == nil && device.standing == .alone)
        // Nor while connections end before the broker has anything of the new process.
        var other = Device()
        for _ in 0..<5 {
            #expect(other.connect(kept: .some(run)) == .nothing)
            #expect(other.end(after: 0.1) == nil)
        }
        #expect(other.standing == .alone)
    }

    /// A network that fails again and again ends connections, too. Nobody else publishes.
    @Test func shortConnectionsAloneAreNoSecondDevice() {
        var device = Device()
        for _ in 0..<10 { #expect(device.connection(0.1, hasOwnInfo: true) == nil) }
        #expect(device.standing == .alone)
    }

    /// Its connection ends while it sleeps, and it comes back hours later.
    @Test func aMachineThatSleptIsNoSecondDevice() {
        var device = Device()
        device.connection(3_600, hasOwnInfo: true)
        device.pass(7_200)
        #expect(device.connection(3_600, hasOwnInfo: true) == nil)
        #expect(device.standing == .alone)
    }

    /// A broker that crashed restores what it had stored half an hour before.
    @Test func anOldMessageThatABrokerRestoresIsNoSecondDevice() {
        var device = Device()
        device.connection(3_600, hasOwnInfo: true)
        #expect(device.connect(hasOwnInfo: true, kept: .some("earlier")) == .nothing)
        #expect(device.standing == .alone)
        device.pass(1_501)
        #expect(device.end(after: 600) == nil)
        device.connect(hasOwnInfo: true, kept: .some("earlier"))
        #expect(device.standing == .alone)
    }

    // MARK: Brokers that only close connections: with MQTT 3.1.1, and mosquitto 2.0

    /// The first device `a` is connected; `b` comes.
    @Test func theMessagesAtTheBrokerTell() {
        var (a, b) = (Device("a"), Device("b"))
        a.connection(3_600, hasOwnInfo: true)
        // `b` has connected. `a` comes back, finds the `info` of `b`, and throws it out.
        #expect(a.connect(hasOwnInfo: true, kept: .some("b")) == .nothing)
        #expect(b.connection(0.3, hasOwnInfo: true, kept: .some("a")) == nil)
        #expect(b.standing == .alone)
        // `b` comes back too: `a` has published after it.
        #expect(a.end(after: 0.3) == nil)
        #expect(b.connect(hasOwnInfo: true, kept: .some("a")) == .giveWay(.seconds(600)))
        #expect(b.standing == .second)
        #expect(a.connect(hasOwnInfo: true, kept: .some("b")) == .nothing)
        #expect(a.standing == .first)
        // What the broker has after the wait says nothing; the end of the attempt does.
        b.pass(600)
        #expect(b.connect(hasOwnInfo: true, kept: .some("a")) == .nothing)
        #expect(b.end(after: 0.3) == .seconds(600))
    }

    /// Both have come just now, so that neither was there before.
    @Test func oneOfTwoThatHaveJustComeWaits() {
        var (a, b) = (Device("a"), Device("b"))
        a.connection(0.3, hasOwnInfo: true)
        #expect(a.connect(hasOwnInfo: true, kept: .some("b")) == .nothing)
        b.connection(0.3, hasOwnInfo: true, kept: .some("a"))
        #expect(b.connect(hasOwnInfo: true, kept: .some("a")) == .giveWay(.seconds(600)))
        #expect(a.end(after: 0.3) == nil)
        #expect(a.connect(hasOwnInfo: true, kept: .some("b")) == .nothing)
        #expect(a.end(after: 600) == nil)
    }

    /// The first device has to find the `info` of the second one, so that it can report it.
    @Test func theSecondDeviceGivesWayOnceTheBrokerHasItsInfo() {
        var b = Device("b")
        b.connection(0.3, hasOwnInfo: true, kept: .some("a"))
        #expect(b.connect(kept: .some("a")) == .nothing && b.standing == .alone)
        #expect(b.conflict.ownInfoCame(at: b.now) == .giveWay(.seconds(600)) && b.standing == .second)
        // It may be thrown out before.
        var other = Device("b")
        other.connection(0.3, hasOwnInfo: true, kept: .some("a"))
        #expect(other.connection(0.1, kept: .some("a")) == .seconds(600) && other.standing == .second)
    }

    /// Whatever the identities are, the device that was there before does not give way.
    @Test func theSecondDeviceGivesWayAlsoWithTheSmallerIdentity() {
        var (first, second) = (Device("b"), Device("a"))
        first.connection(3_600, hasOwnInfo: true)
        second.connect(hasOwnInfo: true, kept: .some("b"))
        for round in 1...3 {
            #expect(first.connect(hasOwnInfo: true, kept: .some("a")) == .nothing)
            #expect(second.end(after: 0.3) == nil)
            let step = second.connect(hasOwnInfo: true, kept: .some("b"))
            #expect(step == (round < 3 ? .nothing : .giveWay(.seconds(600))))
            #expect(first.end(after: 0.3) == nil)
        }
        #expect(first.connect(hasOwnInfo: true, kept: .some("a")) == .nothing)
        #expect(first.standing == .first && second.standing == .second)
    }

    /// Each waits for its part of `mqtt.spread_s` before it comes back; both have the same part.
    @Test func theSpreadMakesNoLongConnection() {
        var b = Device("b", spread: .seconds(300))
        b.connection(300, hasOwnInfo: true, kept: .some("a"))
        #expect(b.connect(hasOwnInfo: true, kept: .some("a")) == .giveWay(.seconds(600)))
    }

    // MARK: Different client identifiers

    @Test func bothConnectedTheOneThatCameSecondWaits() {
        var (a, b) = (Device("a"), Device("b"))
        a.connect()
        b.connect(kept: .some("a"))
        a.pass(3_600)
        #expect(a.new("b") == .republish && a.standing == .first)
        #expect(b.new("a") == .giveWay(.seconds(600)) && b.standing == .second)
        // Its attempt: the first one publishes once more.
        b.pass(600)
        b.connect(kept: .some("a"))
        b.pass(1)
        #expect(b.new("a") == .giveWay(.seconds(600)))
        b.pass(600)
        b.connect(kept: .some("a"))
        b.pass(61)
        #expect(b.standing == .alone)
    }

    /// Neither came second, so that both answer. The greater identity gives way.
    @Test func ofTwoThatAreConnectedForLongTheGreaterIdentityGivesWay() {
        var (a, b) = (Device("a"), Device("b"))
        a.connect()
        b.connect()
        a.pass(3_600)
        b.pass(3_600)
        let steps = (0..<3).map { _ in (a.new("b"), b.new("a")) }
        #expect(steps.map(\.0) == [.republish, .republish, .republish])
        #expect(steps.map(\.1) == [.republish, .republish, .giveWay(.seconds(600))])
    }

    @Test func aDeviceOfAnEarlierVersionHasNoIdentity() {
        var device = Device()
        device.connect()
        device.pass(3_600)
        #expect(device.new(nil) == .republish && device.standing == .first)
    }
}
