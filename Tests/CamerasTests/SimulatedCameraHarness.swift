import Base
import Contract
import Settings
import Testing

@testable import Cameras
@testable import Settings

/// A simulated camera on a loop that turns while a test waits for something.
final class SimulatedCameraHarness {
    let loop = EventLoop()
    let camera: SimulatedCamera
    /// What the lens reported, and when.
    private(set) var reports: [(report: LensReport, time: ContinuousClock.Instant)] = []

    init(_ settings: SimulationSettings = .init(opticalMaximum: 1), jpeg: [UInt8]? = nil) {
        camera = SimulatedCamera(settings, jpeg: jpeg, serial: "sim-1", on: loop)
        camera.callbacks.lensReported = { [weak self, loop] in self?.reports.append(($0, loop.now)) }
    }

    /// Turns the loop until something is so.
    func turn(until isSo: () -> Bool) {
        while !isSo() { loop.runOnce(timeout: .milliseconds(10)) }
    }

    /// The first frame exposed at or after a time; nil when there is none.
    func frame(after time: ContinuousClock.Instant) -> Frame? {
        var answer: Result<Frame, CameraError>?
        camera.frame(exposedAfter: time) { answer = $0 }
        turn { answer != nil }
        return try? answer?.get()
    }

    /// Drives the lens and waits until it stands still.
    func drive(to optical: Double) {
        let count = reports.count
        camera.driveLens(to: optical)
        turn { reports.count > count && reports.last?.report.isMoving == false }
    }

    /// Sets controls; the reason when it was refused.
    func set(_ values: [String: Control.Value]) -> CameraError? {
        var answer: Result<[Control], CameraError>?
        camera.setControls(values) { answer = $0 }
        turn { answer != nil }
        if case .failure(let error) = answer { return error }
        return nil
    }

    func value(_ name: String) -> Control.Value? { control(name)?.value }
    func control(_ name: String) -> Control? { camera.controls.first { $0.name == name } }
}

extension LensReport {
    var optical: Double? {
        switch self {
        case .written(let optical, _), .moved(let optical, _), .stopped(let optical), .taken(let optical):
            optical
        case .failed: nil
        }
    }

    var isMoving: Bool {
        switch self {
        case .written(_, let moving), .moved(_, let moving): moving
        case .stopped, .taken, .failed: false
        }
    }
}
