import Base
import Testing

@testable import Cameras
@testable import Settings

/// A source that is closed for privacy. Devices themselves are in `Tests/Hardware`.
struct DeviceSourceTests {
    private final class Found {
        var cameras: [SimulatedCamera] = []
        var missing: [CameraAbsence] = []
    }

    private let found = Found()
    private let source: DeviceSource

    init() {
        source = DeviceSource(of: CameraSettings(id: "porch"), watcher: nil, on: EventLoop()) {
            SimulatedCamera(.init(width: 64, height: 36), serial: "1", on: $0)
        }
        source.found = { [found] camera in
            if let camera = camera as? SimulatedCamera { found.cameras.append(camera) }
        }
        source.missing = { [found] in found.missing.append($0) }
    }

    private func isClosed(_ camera: SimulatedCamera?) -> Bool {
        var isClosed = false
        camera?.setControls([:]) { if case .failure(.unplugged) = $0 { isClosed = true } }
        return isClosed
    }

    @Test func theCameraIsClosedAndFoundAgain() {
        source.search()
        #expect(found.cameras.count == 1 && !isClosed(found.cameras.first))
        source.close()
        source.close()
        #expect(isClosed(found.cameras.first) && found.missing.isEmpty)
        source.search()
        #expect(found.cameras.count == 2 && !isClosed(found.cameras.last))
    }

    @Test func aSourceThatIsClosedFirstFindsNothing() {
        source.close()
        #expect(found.cameras.isEmpty && found.missing.isEmpty)
        source.search()
        #expect(found.cameras.count == 1)
    }
}
