import Glibc
import TestSupport
import Testing

@testable import Cameras

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

    @Test func aLookAtAMediaDeviceKeepsTheLocksOfThisProcess() {
        let file = LockedFile()
        file.lock(by: F_SETLK)
        #expect(!MediaDevices.isLockedByAnotherProcess(file.path))
        #expect(file.isLocked)
        let found = MediaDevices.withoutOwnLocks { close(open(file.path, O_RDWR)) }
        #expect(found == 0)
        #expect(file.isLocked)
    }

    @Test func theLockOfAnotherProcessIsSeen() {
        let file = LockedFile()
        #expect(!MediaDevices.isLockedByAnotherProcess(file.path))
        // The lock of a file description is nobody's own, as that of another process.
        file.lock(by: LockedFile.setDescriptionLock)
        #expect(MediaDevices.isLockedByAnotherProcess(file.path))
        #expect(!MediaDevices.isLockedByAnotherProcess(file.path + ".missing"))
    }
}

/// A file in the place of a media device.
private struct LockedFile {
    /// F_OFD_GETLK and F_OFD_SETLK (fcntl(2)).
    private static let readDescriptionLock: Int32 = 36
    static let setDescriptionLock: Int32 = 37

    private let folder = TemporaryFolder()
    private let descriptor: Int32
    let path: String

    init() {
        path = folder.write("", to: "media0")
        descriptor = open(path, O_RDWR)
    }

    func lock(by command: Int32) {
        var lock = Self.whole
        #expect(fcntl(descriptor, command, &lock) == 0)
    }

    /// Whether a lock of this process is there, found out without closing a descriptor.
    var isLocked: Bool {
        var lock = Self.whole
        return fcntl(descriptor, Self.readDescriptionLock, &lock) == 0 && lock.l_type != F_UNLCK
    }

    private static var whole: flock {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        return lock
    }
}
