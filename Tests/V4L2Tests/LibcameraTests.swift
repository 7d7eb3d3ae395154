import Testing
import V4L2

/// Devices as libcamera's layer has them. The layer itself is in `Tests/Hardware/test_libcamera.py`.
struct LibcameraTests {
    private func device(_ number: Int, bus: String, driver: String = "libcamera") -> FoundDevice {
        FoundDevice(
            path: "/dev/video\(number)", driver: driver, model: "a sensor", bus: bus, serial: "",
            index: number, links: ["/dev/v4l/by-path/\(number)"])
    }

    @Test func eachCameraIsListedOnceWithItsOtherNodesAsLinks() {
        let found = [
            device(0, bus: "libcamera:0"), device(1, bus: "libcamera:1"), device(2, bus: "libcamera:0"),
        ].onceEach
        #expect(found.map(\.path) == ["/dev/video0", "/dev/video1"])
        #expect(
            found.first?.links == ["/dev/v4l/by-path/0", "/dev/video2", "/dev/v4l/by-path/2"])
    }

    @Test func nodesOfOtherDriversAreDevicesOfTheirOwn() {
        let found = [
            device(0, bus: "platform:isp", driver: "isp"), device(1, bus: "platform:isp", driver: "isp"),
        ]
        #expect(found.onceEach == found)
    }
}
