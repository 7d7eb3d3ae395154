import Base
import TestSupport
import Testing

@testable import Cameras
@testable import Settings

/// Every backend keeps the contract of ``CameraBackend``; the V4L2 driver is checked in the guest.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    static let seeds = 1...25 as ClosedRange<UInt64>

    @Test(arguments: [
        SimulationSettings(opticalMaximum: 1, frameRate: 200, width: 640, height: 360),
        .init(opticalMaximum: 4, lensSpeed: 40, frameRate: 200, width: 640, height: 360),
        .init(opticalMaximum: 4, writeLatency: .milliseconds(3), frameRate: 100, width: 640, height: 360),
    ])
    func aSimulatedCameraKeepsTheContract(settings: SimulationSettings) {
        let loop = EventLoop()
        let conformance = BackendConformance(
            .init(
                open: { SimulatedCamera(settings, serial: "sim", on: loop) }, now: { loop.now },
                letTimePass: { loop.turn(until: $0) }))
        conformance.run(seeds: Self.seeds)
        #expect(conformance.problems == [])
    }

    /// Held calls are released one by one, in an order that the seed gives.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aScriptedCameraKeepsTheContract(seed: UInt64) {
        let loop = EventLoop()
        var random = SeededGenerator(seed: seed)
        var camera: ScriptedCamera?
        let conformance = BackendConformance(
            .init(
                open: {
                    camera = ScriptedCamera(description: .scripted(opticalMax: 4), on: loop)
                    camera?.held = [.lens, .stop, .controls, .mode]
                    return camera
                }, now: { loop.now },
                letTimePass: { isSo in
                    loop.turn {
                        if isSo() { return true }
                        ScriptedCamera.Operation.allCases.filter { $0 != .frame }
                            .randomElement(using: &random).map { _ = camera?.release($0) }
                        return isSo()
                    }
                }))
        conformance.run(seeds: Self.seeds)
        #expect(conformance.problems == [])
        #expect(camera?.violations == [])
    }

    /// The checks find each of these faults: they are checks that can fail.
    @Test(arguments: FaultyCamera.Fault.allCases) func aBrokenRuleIsFound(fault: FaultyCamera.Fault) {
        let loop = EventLoop()
        var camera: FaultyCamera?
        let settings = SimulationSettings(
            opticalMaximum: 4, lensSpeed: 40, frameRate: 200, width: 640, height: 360)
        let conformance = BackendConformance(
            .init(
                open: {
                    let made = FaultyCamera(
                        SimulatedCamera(settings, serial: "sim", on: loop), fault: fault)
                    camera = made
                    return made
                }, now: { loop.now },
                letTimePass: { isSo in
                    loop.turn(within: .milliseconds(300)) {
                        camera?.turn()
                        return isSo()
                    }
                }))
        conformance.run(seeds: [])
        #expect(conformance.problems.contains { $0.contains(fault.rawValue) }, "\(conformance.problems)")
    }
}

extension EventLoop {
    /// Turns until something is so; false: it did not become so within the limit.
    func turn(within limit: Duration = .seconds(10), until isSo: () -> Bool) -> Bool {
        let end = now + limit
        while !isSo() {
            if now >= end { return false }
            runOnce(timeout: .milliseconds(1))
        }
        return true
    }
}
