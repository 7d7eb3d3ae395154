import Base
import Contract
import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Settings

/// Cameras whose devices come and go, in virtual time: which device each camera uses.
struct DeviceFallbackTests {
    /// A device that does nothing but be there.
    private final class OpenDevice: PluggableCamera {
        let path: String
        var isLensMoving = false
        var orientation: DeviceOrientation?
        var isClosed = false
        var wasLost: () -> Void = {}
        private let absent = AbsentCamera()

        init(_ path: String) { self.path = path }

        var description: CameraDescription { absent.description }
        var mode: CameraMode { absent.mode }
        var controls: [Control] { [] }
        var callbacks = CameraCallbacks()
        func driveLens(to optical: Double) {}
        func stopLens() {}
        func setControls(
            _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
        ) { then(.failure(.unplugged)) }
        func setMode(
            _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
        ) { then(.failure(.unplugged)) }
        func frame(
            exposedAfter time: ContinuousClock.Instant,
            then: @escaping (Result<Frame, CameraError>) -> Void
        ) { then(.failure(.unplugged)) }
        func close() { isClosed = true }
    }

    /// One camera of the agent, and what it uses.
    private final class User {
        let source: DeviceSource
        var camera: OpenDevice?
        var isInUse = false
        var absences: [CameraAbsence] = []

        init(
            _ id: String, _ choices: [SourceChoice], _ devices: ScriptedDevices, _ loop: EventLoop,
            broken: Set<String> = []
        ) {
            source = DeviceSource(of: CameraSettings(id: id, sources: choices), watcher: devices, on: loop) {
                device, opened in
                opened(
                    broken.contains(device.path)
                        ? .failure(.device("broken")) : .success(OpenDevice(device.path)))
            }
            source.found = { [unowned self] in camera = $0 as? OpenDevice }
            source.missing = { [unowned self] in
                camera = nil
                absences.append($0)
            }
            source.isInUse = { [unowned self] in isInUse }
            source.search()
        }

        /// The device is unplugged.
        func lose() { camera?.wasLost() }
    }

    private let phone: [SourceChoice] = [
        .properties(.init(kind: .dual)), .properties(.init(kind: .wide)), .properties(.init()),
    ]
    private let dual = FoundDevice(path: "/dev/video0", bus: "0", serial: "D", kind: .dual)
    private let wide = FoundDevice(path: "/dev/video2", bus: "2", serial: "W", kind: .wide)
    private let other = FoundDevice(path: "/dev/video4", bus: "4", serial: "O")
    private let clock = ManualClock()
    private let loop: EventLoop
    private let devices = ScriptedDevices()

    init() { loop = EventLoop(clock: clock) }

    private func pass(_ time: Duration) {
        clock.advance(by: time)
        loop.runOnce(timeout: .zero)
    }

    /// A camera with a second node for H.264 uses it during recordings.
    @Test func aSecondNodeIsUsedByOneCameraAtATime() throws {
        let (video, node) = (CameraMode(pixelFormat: "H264", width: 640, height: 480, rate: 30), "/dev/none")
        devices.claimed = ["/dev/video4"]
        var failures = 0
        func open(_ path: String) -> V4L2VideoStream? {
            V4L2VideoStream.open(path, video, among: devices, on: loop, .init()) {
                if case .failure = $0 { failures += 1 }
            }
        }
        #expect(open("/dev/video4") == nil && failures == 1)
        let stream = try #require(open(node))
        #expect(devices.claimed == ["/dev/video4", node])
        #expect(open(node) == nil && failures == 2)
        stream.close()
        #expect(devices.claimed == ["/dev/video4"] && failures == 3)
        // The end of a stream that can't be opened is one too.
        let other = try #require(open(node))
        while failures == 3 { loop.runOnce(timeout: nil) }
        #expect(devices.claimed == ["/dev/video4"] && other.isClosed)
    }

    /// What a camera has in use, opens, keeps while it is private, or has lost.
    @Test func aCameraThatIsReleasedLeavesItsDevice() {
        var user: User? = User("a", [.v4l2(path: dual.path)], devices, loop)
        devices.find([dual, wide])
        #expect(user?.camera?.path == dual.path && devices.claimed == [dual.path])
        user = nil
        #expect(devices.claimed.isEmpty)
        user = User("b", [.v4l2(path: wide.path)], devices, loop)
        user?.source.close()
        #expect(devices.claimed == [wide.path])
        user = nil
        #expect(devices.claimed.isEmpty)
        user = User("c", [.v4l2(path: dual.path)], devices, loop)
        user?.lose()
        #expect(devices.claimed == [dual.path])
        user = nil
        #expect(devices.claimed.isEmpty)
        var source: DeviceSource? = DeviceSource(
            of: CameraSettings(id: "d", sources: [.v4l2(path: dual.path)]), watcher: devices, on: loop
        ) { _, _ in }
        source?.search()
        #expect(devices.claimed == [dual.path])
        source = nil
        #expect(devices.claimed.isEmpty)
    }

    @Test func anAbsenceSaysWhatIsWrongWithTheDevice() throws {
        let missing = try #require(DeviceProblem(at: "/dev/nosuch"))
        let forbidden = DeviceProblem(path: "/dev/video8", cause: .forbidden, words: "no permission")
        devices.problems = [missing, forbidden]
        let named = User("porch", [.v4l2(path: "/dev/nosuch")], devices, loop)
        let any = User("yard", [.v4l2(path: "/dev/video0"), .properties(.any)], devices, loop)
        devices.find([])
        #expect(named.absences == [CameraAbsence(kind: .notFound, problem: "/dev/nosuch does not exist")])
        #expect(any.absences == [CameraAbsence(kind: .notFound, problem: "no permission")])
        devices.problems = []
        devices.find([dual])
        #expect(any.camera?.path == dual.path)
        // That a device is missing that was unplugged is no news.
        devices.problems = [DeviceProblem(path: dual.path, cause: .missing, words: "missing")]
        any.lose()
        devices.find([])
        #expect(any.absences.last == .unplugged)
    }

    @Test func unpluggedTheNextEntryIsUsedAndReplugged() {
        let user = User("porch", phone, devices, loop)
        devices.find([dual, wide, other])
        #expect(user.camera?.path == "/dev/video0")
        user.lose()
        #expect(user.absences == [.unplugged])
        devices.find([wide, other])
        #expect(user.camera?.path == "/dev/video2")
        user.lose()
        devices.find([other])
        #expect(user.camera?.path == "/dev/video4")
        user.lose()
        devices.find([])
        #expect(user.camera == nil)
        devices.find([dual, wide])
        #expect(user.camera?.path == "/dev/video0")
        #expect(devices.claimed == ["/dev/video0"])
    }

    @Test func aBetterDeviceIsUsedOnlyWhenThePresentOneIsNotInUse() {
        let user = User("porch", phone, devices, loop)
        devices.find([wide])
        let first = user.camera
        user.isInUse = true
        devices.find([dual, wide])
        for _ in 0..<60 { pass(.seconds(1)) }
        #expect(user.camera === first && first?.isClosed == false && user.absences.isEmpty)
        user.isInUse = false
        first?.isLensMoving = true
        pass(.seconds(1))
        #expect(user.camera === first && user.absences.isEmpty)
        first?.isLensMoving = false
        pass(.seconds(1))
        #expect(first?.isClosed == true && user.absences == [.replaced])
        #expect(user.camera?.path == "/dev/video0" && devices.claimed == ["/dev/video0"])
    }

    @Test func aBetterDeviceThatGoesAgainWhileThePresentOneIsInUseChangesNothing() {
        let user = User("porch", phone, devices, loop)
        devices.find([wide])
        user.isInUse = true
        devices.find([dual, wide])
        devices.find([wide])
        user.isInUse = false
        for _ in 0..<5 { pass(.seconds(1)) }
        #expect(user.camera?.path == "/dev/video2" && user.absences.isEmpty)
    }

    @Test func anotherDeviceOfTheSameEntryChangesNothing() {
        let user = User("porch", [.properties(.init())], devices, loop)
        devices.find([other])
        devices.find([dual, wide, other])
        pass(.seconds(5))
        #expect(user.camera?.path == "/dev/video4" && user.absences.isEmpty)
    }

    @Test func twoCamerasNeverUseTheSameDevice() {
        let users = ["a", "b", "c"].map { User($0, phone, devices, loop) }
        devices.find([dual, wide])
        #expect(users.map { $0.camera?.path } == ["/dev/video0", "/dev/video2", nil])
        #expect(users[2].absences == [.notFound])
        devices.find([dual, wide, other])
        #expect(users.map { $0.camera?.path } == ["/dev/video0", "/dev/video2", "/dev/video4"])
        // What a camera leaves for a better device is free for the next one.
        users[0].lose()
        devices.find([wide, other])
        #expect(users.map { $0.camera?.path } == [nil, "/dev/video2", "/dev/video4"])
        devices.find([dual, wide, other])
        #expect(users[0].camera?.path == "/dev/video0")
    }

    @Test func aDeviceThatAnotherCameraNamesIsLeftToItWhateverTheOrder() {
        let first = User("a", [.properties(.init())], devices, loop)
        let second = User("b", [.serial("D")], devices, loop)
        devices.find([dual, wide])
        #expect(first.camera?.path == "/dev/video2" && second.camera?.path == "/dev/video0")
        second.lose()
        first.lose()
        devices.find([dual])
        #expect(first.camera == nil && second.camera?.path == "/dev/video0")
    }

    @Test func aBetterDeviceThatComesWhileAnotherIsOpenedTakesItsPlaceAfterwards() {
        var opened: [(Result<any PluggableCamera, CameraError>) -> Void] = []
        var paths: [String] = []
        let source = DeviceSource(
            of: CameraSettings(id: "porch", sources: phone), watcher: devices, on: loop
        ) { device, then in
            paths.append(device.path)
            opened.append(then)
        }
        source.search()
        devices.find([wide])
        devices.find([dual, wide])
        #expect(paths == ["/dev/video2"])
        opened[0](.success(OpenDevice("/dev/video2")))
        pass(.seconds(1))
        #expect(paths == ["/dev/video2", "/dev/video0"])
    }

    @Test func aDeviceThatWasLostIsNotTakenByAnotherCamera() {
        let first = User("a", [.properties(.init(kind: .dual)), .serial("O")], devices, loop)
        let second = User(
            "b", [.properties(.init(kind: .dual)), .properties(.init(kind: .wide))], devices, loop)
        devices.find([dual, wide, other])
        first.lose()
        devices.change(to: [wide, other])
        pass(.seconds(1))
        #expect(second.camera?.path == "/dev/video2" && second.absences.isEmpty)
        devices.find([wide, other])
        #expect(first.camera?.path == "/dev/video4" && second.absences.isEmpty)
    }

    @Test func aDeviceThatCannotBeOpenedIsPassedOver() {
        let user = User("porch", phone, devices, loop, broken: ["/dev/video0", "/dev/video2"])
        devices.find([dual, wide, other])
        #expect(user.camera?.path == "/dev/video4" && user.absences.isEmpty)
    }
}
