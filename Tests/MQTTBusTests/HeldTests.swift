import Base
import Settings
import Testing

@testable import Bus

/// Messages that are held back on a new connection, and the one that is sent ahead of them.
@Suite(.timeLimit(.minutes(5))) struct HeldTests {
    private final class Bench {
        let loop = EventLoop()
        let broker: ScriptedBroker
        let bus: MQTTBus
        private(set) var sessions = 0
        private(set) var ends = 0

        init() throws {
            broker = ScriptedBroker(.v5, on: loop)
            broker.acknowledged = []
            bus = try MQTTBus(broker.settings(), filters: [], on: loop)
            bus.connectionChanged = { [unowned self] event in
                switch event {
                case .connected: sessions += 1
                case .disconnected:
                    ends += 1
                    bus.isHeld = true
                case .subscribed, .subscriptionRefused: break
                }
            }
            bus.isHeld = true
            bus.start()
            wait { sessions == 1 }
        }

        func wait(until isDone: () -> Bool) {
            while !isDone() { loop.runOnce(timeout: .milliseconds(100)) }
        }

        /// Sends a message ahead, and waits until the broker has acknowledged it.
        func sendAhead() {
            var isReceived = false
            bus.publishAhead("ahead", [], retain: false) { isReceived = true }
            wait { isReceived }
        }
    }

    @Test func whatIsHeldIsSentAfterwards() throws {
        let bench = try Bench()
        bench.bus.retain("state", [1])
        bench.bus.publishQueued("event", [1])
        #expect(!bench.bus.publishIfReady("sample", [1], nil) && !bench.bus.hasCapacity)
        bench.bus.republish()
        bench.sendAhead()
        bench.sendAhead()
        #expect(bench.broker.acknowledged == ["ahead", "ahead"] && !bench.bus.isDrained)
        bench.bus.isHeld = false
        bench.wait { bench.bus.isDrained }
        #expect(bench.broker.acknowledged == ["ahead", "ahead", "state", "event"])
    }

    @Test func theNextConnectionIsHeldAgain() throws {
        let bench = try Bench()
        bench.bus.retain("state", [1])
        bench.bus.isHeld = false
        bench.wait { bench.bus.isDrained }
        bench.broker.closeConnection()
        bench.wait { bench.sessions == 2 }
        bench.sendAhead()
        #expect(bench.broker.acknowledged == ["state", "ahead"])
        bench.bus.isHeld = false
        bench.wait { bench.bus.isDrained }
        #expect(bench.broker.acknowledged == ["state", "ahead", "state"])
    }

    @Test func whatIsMadeIsMadeForEachConnection() throws {
        let bench = try Bench()
        var count = 0
        bench.bus.retain("document") {
            count += 1
            return []
        }
        bench.bus.isHeld = false
        bench.wait { bench.bus.isDrained }
        bench.broker.closeConnection()
        bench.wait { bench.sessions == 2 }
        bench.bus.isHeld = false
        bench.wait { bench.bus.isDrained }
        #expect(bench.broker.acknowledged == ["document", "document"] && count == 2)
    }

    /// The broker had no time to acknowledge it.
    @Test func aMessageThatIsLostWithTheConnectionIsNotReceived() throws {
        let bench = try Bench()
        bench.broker.acknowledged = nil
        bench.bus.publishAhead("ahead", [], retain: false) { Issue.record("the connection has ended") }
        bench.broker.closeConnection()
        bench.broker.acknowledged = []
        bench.wait { bench.sessions == 2 }
        bench.sendAhead()
    }

    @Test func anEndDoesNotWaitForWhatIsHeld() throws {
        let bench = try Bench()
        bench.bus.retain("state", [1])
        var isStopped = false
        bench.bus.stop { isStopped = true }
        #expect(isStopped)
        bench.wait { bench.broker.received.contains(.disconnect) }
        #expect(bench.broker.acknowledged == [])
    }
}
