import Base
import Contract
import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Settings

/// A camera whose picture is turned: its sizes, its fields, and the directions of pan and tilt.
struct OrientedCameraTests {
    /// A device with motors, and without frames.
    private final class Motors: CameraBackend {
        var description = AbsentCamera().description
        var mode = CameraMode(pixelFormat: "YUYV", width: 640, height: 480, rate: 30)
        var callbacks = CameraCallbacks()
        var set: [String: Control.Value] = [:]
        var controls: [Control] = [
            Control("brightness", "Brightness", .slider(min: 0, max: 9, step: 1), default: .number(5)),
            Control(
                "pan_absolute", "Pan, Absolute", .slider(min: -36, max: 72, step: 4), default: .number(0),
                value: .number(8)),
            Control(
                "tilt_absolute", "Tilt, Absolute", .slider(min: -20, max: 20, step: 4), default: .number(0)),
            Control("pan_reset", "Pan, Reset", .button, default: .flag(false)),
        ]
        func driveLens(to optical: Double) {}
        func stopLens() {}
        func setControls(
            _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
        ) {
            set = values
            then(
                values["brightness"] == nil
                    ? .success(controls) : .failure(.disabled(control: "tilt_absolute", reason: "stuck")))
        }
        func setMode(
            _ wanted: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
        ) {
            mode = wanted
            then(.success(mode))
        }
        func frame(
            exposedAfter time: ContinuousClock.Instant,
            then: @escaping (Result<Frame, CameraError>) -> Void
        ) {
            let field = Region(x: 0.25, y: 0, width: 0.5, height: 0.25)
            then(.success(Frame(picture: .jpeg([]), field: field, number: 1, exposedAt: time)))
        }
        func close() {}
    }

    private static func camera(_ orientation: Orientation) -> (OrientedCamera, Motors) {
        let motors = Motors()
        return (OrientedCamera(motors, DeviceOrientation(total: orientation, remaining: orientation)), motors)
    }

    /// What the device does when users pan to the right and tilt up, as the change of its own pan and tilt.
    private func driven(_ orientation: Orientation, _ name: String) -> [String: Control.Value] {
        let (camera, motors) = Self.camera(orientation)
        camera.setControls([name: .number(4)]) { _ in }
        return motors.set
    }

    @Test func panAndTiltFollowThePicture() {
        let quarter = Orientation(quarterTurns: 1)
        #expect(driven(.upright, "pan_absolute") == ["pan_absolute": .number(4)])
        #expect(driven(.halfTurn, "pan_absolute") == ["pan_absolute": .number(-4)])
        #expect(driven(.halfTurn, "tilt_absolute") == ["tilt_absolute": .number(-4)])
        #expect(driven(.mirrored, "pan_absolute") == ["pan_absolute": .number(-4)])
        #expect(driven(.mirrored, "tilt_absolute") == ["tilt_absolute": .number(4)])
        #expect(driven(.flipped, "tilt_absolute") == ["tilt_absolute": .number(-4)])
        // Turned clockwise: what was at the top is at the right, what was at the left is at the top.
        #expect(driven(quarter, "pan_absolute") == ["tilt_absolute": .number(4)])
        #expect(driven(quarter, "tilt_absolute") == ["pan_absolute": .number(-4)])
        #expect(driven(quarter, "brightness") == ["brightness": .number(4)])
    }

    @Test func theControlsAreThoseOfThePicture() throws {
        let (camera, _) = Self.camera(Orientation(quarterTurns: 1))
        let tilt = try #require(camera.controls.first { $0.name == "tilt_absolute" })
        #expect(
            tilt.title == "Tilt, Absolute" && tilt.value == .number(-8) && tilt.defaultValue == .number(0))
        #expect(tilt.kind == .slider(min: -72, max: 36, step: 4))
        #expect(camera.controls.map(\.name) == ["brightness", "tilt_absolute", "pan_absolute", "tilt_reset"])
        var failure: CameraError?
        camera.setControls(["brightness": .number(1)]) {
            if case .failure(let error) = $0 { failure = error }
        }
        #expect(failure == .disabled(control: "pan_absolute", reason: "stuck"))
    }

    @Test func whatTheDriverTurnsIsNotTurnedAgainButPanFollows() throws {
        let motors = Motors()
        let camera = OrientedCamera(motors, DeviceOrientation(total: .halfTurn, remaining: .upright))
        camera.setControls(["pan_absolute": .number(4)]) { _ in }
        #expect(motors.set == ["pan_absolute": .number(-4)])
        var frame: Frame?
        camera.frame(exposedAfter: .now) { frame = try? $0.get() }
        guard case .jpeg? = frame?.picture else {
            Issue.record("the picture is turned")
            return
        }
    }

    @Test func framesAndModesHaveTheirSidesExchanged() throws {
        let (camera, motors) = Self.camera(Orientation(quarterTurns: 1))
        #expect((camera.mode.width, camera.mode.height) == (480, 640))
        camera.setMode(CameraMode(pixelFormat: "YUYV", width: 240, height: 320, rate: 15)) { _ in }
        #expect((motors.mode.width, motors.mode.height) == (320, 240))
        var frame: Frame?
        camera.frame(exposedAfter: .now) { frame = try? $0.get() }
        #expect(frame?.field == Region(x: 0.75, y: 0.25, width: 0.25, height: 0.5))
        guard case .oriented(.jpeg, Orientation(quarterTurns: 1))? = frame?.picture else {
            Issue.record("the picture is not turned")
            return
        }
    }

    @Test func qualitiesOfATurnedCameraAreChosenAsThoseOfItsSensor() throws {
        let loop = EventLoop(clock: ManualClock())
        let plain = SimulatedCamera(
            .init(opticalMaximum: 1, width: 1920, height: 1080), serial: "1", on: loop)
        let orientation = Orientation(quarterTurns: 3)
        let turned = plain.oriented(DeviceOrientation(total: orientation, remaining: orientation))
        let (one, other) = (plain.description, turned.description)
        #expect(other.qualities.count == one.qualities.count)
        #expect(other.qualities.contains("hd1280x720") && other.qualities.contains("1080x1920"))
        for name in one.qualities {
            let quality = try #require(Quality(name: name))
            let mode = try #require(one.mode(for: quality)).mode
            var own = quality
            if case .size(let width, let height) = quality { own = .size(width: height, height: width) }
            let turned = try #require(other.mode(for: own)).mode
            #expect((turned.width, turned.height, turned.rate) == (mode.height, mode.width, mode.rate))
        }
    }
}
