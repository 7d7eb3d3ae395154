import Cameras
import Glibc
import LoopThread
import Picture
import Testing

/// The simulated lens.
@Suite(.timeLimit(.minutes(1))) struct LensTests {
    @Test func aLensWithoutSpeedIsThereAtOnce() {
        let bench = Bench(.init(opticalMax: 4))
        bench.camera.driveLens(to: 3)
        #expect(bench.reports.map(\.report) == [.written(optical: 3, moving: false)])
        #expect(bench.camera.description.opticalMax == 4)
    }

    @Test func aLensWithSpeedReportsItsWayAndItsArrival() {
        let bench = Bench(.init(opticalMax: 4, lensSpeed: 20))
        bench.drive(to: 4)
        #expect(bench.reports.first?.report.isMoving == true)
        #expect(bench.reports.last?.report == .moved(optical: 4, moving: false))
        let way = bench.reports.compactMap(\.report.optical)
        #expect(way.count > 3)
        #expect(way == way.sorted())
        #expect(way.allSatisfy { 1...4 ~= $0 })
        bench.loop.turn(waitingAtMost: .milliseconds(40))
        #expect(bench.reports.count == way.count, "a lens that stands still has nothing to report")
    }

    /// Between two frames it goes as many octaves as its speed says, whatever the test machine is busy with.
    @Test(arguments: [(1.0, 8.0), (-1, 1)]) func itMovesAtItsSpeed(direction: Double, end: Double) throws {
        let bench = Bench(.init(width: 16, height: 16, rate: 1000, opticalMax: 8, lensSpeed: 10))
        if direction < 0 { bench.drive(to: 8) }
        bench.camera.driveLens(to: end)
        let start = bench.loop.now
        let first = try #require(bench.frame(after: start + .milliseconds(20)))
        let second = try #require(bench.frame(after: start + .milliseconds(80)))
        // On a machine that stalls for so long the lens has arrived, and there is nothing to measure.
        guard 1 / second.field.width != end, second.number > first.number else { return }
        let seconds = first.exposedAt.duration(to: second.exposedAt) / .seconds(1)
        #expect(abs(log2(first.field.width / second.field.width) - direction * 10 * seconds) < 1e-6)
    }

    @Test func itStopsWhereItIs() throws {
        let bench = Bench(.init(width: 16, height: 16, rate: 1000, opticalMax: 8, lensSpeed: 1))
        bench.camera.driveLens(to: 8)
        bench.turn { bench.reports.count > 2 }
        let seen = try #require(bench.reports.last?.report.optical)
        bench.camera.stopLens()
        let stopped = try #require(bench.reports.last?.report.optical)
        #expect(bench.reports.last?.report == .stopped(optical: stopped))
        #expect(stopped >= seen && stopped < 8)
        let count = bench.reports.count
        let frame = try #require(bench.frame(after: bench.loop.now + .milliseconds(40)))
        #expect(1 / frame.field.width == stopped)
        #expect(bench.reports.count == count, "it reports no movement any more")
    }

    @Test func itTurnsRoundOnItsWay() throws {
        let bench = Bench(.init(opticalMax: 8, lensSpeed: 10))
        bench.camera.driveLens(to: 8)
        bench.turn { bench.reports.count > 3 }
        let turned = try #require(bench.reports.last?.report.optical)
        let count = bench.reports.count
        bench.drive(to: 1)
        #expect(try #require(bench.reports[count].report.optical) >= turned)
        #expect(bench.reports.last?.report.optical == 1)
        #expect(bench.reports.compactMap(\.report.optical).allSatisfy { $0 < 8 })
    }

    @Test func aRequestTakesItsTime() throws {
        let bench = Bench(.init(opticalMax: 4, writeLatency: .milliseconds(20)))
        let start = bench.loop.now
        bench.camera.driveLens(to: 3)
        #expect(bench.reports.isEmpty)
        bench.turn { !bench.reports.isEmpty }
        #expect(bench.reports.map(\.report) == [.written(optical: 3, moving: false)])
        #expect(bench.reports[0].time >= start + .milliseconds(20))
    }

    @Test func aStopCallsARequestOff() {
        let bench = Bench(.init(opticalMax: 4, writeLatency: .milliseconds(5)))
        bench.camera.driveLens(to: 3)
        bench.camera.stopLens()
        #expect(bench.reports.map(\.report) == [.stopped(optical: 1)])
        let late = bench.loop.now + .milliseconds(15)
        bench.turn { bench.loop.now > late }
        #expect(bench.reports.count == 1)
    }

    @Test func aBrokenLensRefuses() {
        let bench = Bench(.init(opticalMax: 4, fault: .write))
        bench.camera.driveLens(to: 3)
        guard case .failed(.device(let words)) = bench.reports.first?.report else {
            Issue.record("it didn't")
            return
        }
        #expect(words.contains("Input/output error"))
        bench.camera.stopLens()
        #expect(bench.reports.last?.report == .stopped(optical: 1))
    }
}
