import Base
import Foundation
import Settings
import TestSupport
import Testing

@testable import Bus

/// A run of the program after others that ended by a fault.
@Suite(.timeLimit(.minutes(5))) struct FaultsTests {
    private let file = NSTemporaryDirectory() + "faults-\(UUID().uuidString)"

    @Test(arguments: zip([0, 1, 2, 3, 4, 7, 40], [0, 0, 1, 2, 4, 30, 30]))
    func theWaitGrowsWithTheCount(count: Int, seconds: Int) throws {
        try Data(repeating: 0x78, count: count).write(to: URL(fileURLWithPath: file))
        defer { unlink(file) }
        #expect(Faults(file: file).wait == .seconds(seconds))
    }

    @Test func withoutAFileNothingIsWaitedFor() {
        #expect(Faults(file: file).wait == .zero)
        #expect(Faults(file: nil).wait == .zero)
    }

    @Test func theFirstConnectionWaitsAndOneOfAMinuteClearsTheCount() throws {
        try Data("xxx".utf8).write(to: URL(fileURLWithPath: file))
        defer { unlink(file) }
        let clock = ManualClock()
        let loop = EventLoop(clock: clock)
        let broker = ScriptedBroker(.v5, on: loop)
        var settings = broker.settings()
        settings.faultFile = file
        let bus = try MQTTBus(settings, filters: [], on: loop)
        bus.start()
        func turn() { for _ in 0..<100 { loop.runOnce(timeout: .zero) } }
        clock.advance(by: .milliseconds(1999))
        turn()
        #expect(broker.levels.isEmpty)
        clock.advance(by: .milliseconds(1))
        while !bus.isConnected { loop.runOnce(timeout: .zero) }
        clock.advance(by: .seconds(59))
        turn()
        #expect(access(file, F_OK) == 0)
        clock.advance(by: .seconds(1))
        turn()
        #expect(access(file, F_OK) != 0)
    }
}
