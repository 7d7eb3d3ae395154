import Base
import Glibc
import Testing

@testable import Cameras
@testable import Settings

/// The simulated lens.
@Suite(.timeLimit(.minutes(10))) struct LensTests {
    @Test func aLensWithoutSpeedIsThereAtOnce() {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 4))
        harness.camera.driveLens(to: 3)
        #expect(harness.reports.map(\.report) == [.written(optical: 3, moving: false)])
        #expect(harness.camera.description.opticalMax == 4)
    }

    @Test func aLensWithSpeedReportsItsWayAndItsArrival() {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 4, lensSpeed: 20))
        harness.drive(to: 4)
        #expect(harness.reports.first?.report.isMoving == true)
        #expect(harness.reports.last?.report == .moved(optical: 4, moving: false))
        let way = harness.reports.compactMap(\.report.optical)
        #expect(way.count > 3)
        #expect(way == way.sorted())
        #expect(way.allSatisfy { 1...4 ~= $0 })
        harness.loop.runOnce(timeout: .milliseconds(40))
        #expect(harness.reports.count == way.count, "a lens that stands still has nothing to report")
    }

    /// Between two frames it moves by its speed, whatever the load of the test machine.
    @Test(arguments: [(1.0, 8.0), (-1, 1)]) func itMovesAtItsSpeed(direction: Double, end: Double) throws {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 8, lensSpeed: 10, frameRate: 1000, width: 16, height: 16))
        if direction < 0 { harness.drive(to: 8) }
        harness.camera.driveLens(to: end)
        let start = harness.loop.now
        let first = try #require(harness.frame(after: start + .milliseconds(20)))
        let second = try #require(harness.frame(after: start + .milliseconds(80)))
        // On a machine that stalls for so long the lens has arrived, and there is nothing to measure.
        guard 1 / second.field.width != end, second.number > first.number else { return }
        let seconds = first.exposedAt.duration(to: second.exposedAt) / .seconds(1)
        #expect(abs(log2(first.field.width / second.field.width) - direction * 10 * seconds) < 1e-6)
    }

    /// A process that waits for a core between two instructions: each reading of the clock is later.
    @Test func aReportAndTheDescriptionAreOfOneTime() {
        var time = ContinuousClock.now
        let loop = EventLoop {
            time += .milliseconds(1)
            return time
        }
        let settings = SimulationSettings(opticalMaximum: 4, lensSpeed: 40)
        let camera = SimulatedCamera(settings, serial: "sim-1", on: loop)
        var pairs: [(reported: Double?, described: Double)] = []
        camera.callbacks.lensReported = { [unowned camera] in
            pairs.append(($0.optical, camera.description.optical))
        }
        camera.driveLens(to: 4)
        camera.stopLens()
        #expect(pairs.count == 2 && pairs.allSatisfy { $0.reported == $0.described })
    }

    @Test func itStopsWhereItIs() throws {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 8, lensSpeed: 1, frameRate: 1000, width: 16, height: 16))
        harness.camera.driveLens(to: 8)
        harness.turn { harness.reports.count > 2 }
        let seen = try #require(harness.reports.last?.report.optical)
        harness.camera.stopLens()
        let stopped = try #require(harness.reports.last?.report.optical)
        #expect(harness.reports.last?.report == .stopped(optical: stopped))
        #expect(stopped >= seen && stopped < 8)
        let count = harness.reports.count
        let frame = try #require(harness.frame(after: harness.loop.now + .milliseconds(40)))
        #expect(1 / frame.field.width == stopped)
        #expect(harness.reports.count == count, "it reports no movement any more")
    }

    @Test func itTurnsRoundOnItsWay() throws {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 8, lensSpeed: 10))
        harness.camera.driveLens(to: 8)
        harness.turn { harness.reports.count > 3 }
        let turned = try #require(harness.reports.last?.report.optical)
        let count = harness.reports.count
        harness.drive(to: 1)
        #expect(try #require(harness.reports[count].report.optical) >= turned)
        #expect(harness.reports.last?.report.optical == 1)
        #expect(harness.reports.compactMap(\.report.optical).allSatisfy { $0 < 8 })
    }

    @Test func aRequestTakesItsTime() throws {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 4, writeLatency: .milliseconds(20)))
        let start = harness.loop.now
        harness.camera.driveLens(to: 3)
        #expect(harness.reports.isEmpty)
        harness.turn { !harness.reports.isEmpty }
        #expect(harness.reports.map(\.report) == [.written(optical: 3, moving: false)])
        #expect(harness.reports[0].time >= start + .milliseconds(20))
    }

    @Test func aStopCallsARequestOff() {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 4, writeLatency: .milliseconds(5)))
        harness.camera.driveLens(to: 3)
        harness.camera.stopLens()
        #expect(harness.reports.map(\.report) == [.stopped(optical: 1)])
        let late = harness.loop.now + .milliseconds(15)
        harness.turn { harness.loop.now > late }
        #expect(harness.reports.count == 1)
    }

    @Test func aBrokenLensRefuses() {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 4, fault: .writeError))
        harness.camera.driveLens(to: 3)
        guard case .failed(.device(let words)) = harness.reports.first?.report else {
            Issue.record("it didn't")
            return
        }
        #expect(words.contains("Input/output error"))
        harness.camera.stopLens()
        #expect(harness.reports.last?.report == .stopped(optical: 1))
    }
}
