import Glibc
import TestSupport
import Testing

@testable import Cameras

/// What a user is told of a path that is no camera.
struct DeviceProblemTests {
    private let folder = TemporaryFolder()

    @Test func aPathThatIsNoCameraSaysWhy() {
        folder.write("", to: "file")
        #expect(DeviceProblem(at: "/dev/null")?.words == "/dev/null is no camera")
        #expect(DeviceProblem(at: folder.file("file"))?.words == "\(folder.file("file")) is no camera")
        let problem = DeviceProblem(at: folder.file("none"))
        #expect(problem?.words == "\(folder.file("none")) does not exist" && problem?.cause == .missing)
    }

    /// A node of which the kernel has no device: who may not open it does not get that far.
    @Test(.enabled(if: geteuid() == 0)) func aUserWithoutRightsIsToldTheGroup() throws {
        let node = folder.file("video0")
        try #require(mknod(node, S_IFCHR | 0o660, dev_t(81 << 8)) == 0)
        // Debian's group of cameras.
        chown(node, 0, 44)
        chmod(node, 0o660)
        #expect(DeviceProblem(at: node)?.words == "\(node) has no device")
        let words = folder.withUnreadable("closed") { DeviceProblem(at: node)?.words }
        #expect(words == "no permission for \(node): add the user to the group video")
        chmod(node, 0o600)
        #expect(
            folder.withUnreadable("closed") { DeviceProblem(at: node)?.words } == "no permission for \(node)")
    }

    /// An error says who uses a device that is busy, where it is opened and in each call.
    @Test func theProgramThatHasADeviceOpenIsNamed() throws {
        let file = folder.write("", to: "file")
        #expect(DeviceProblem.otherUser(of: file) == nil)
        let child = try #require(popen("exec sleep 60 < \(file)", "r"))
        // The shell has opened the file when it becomes the other program.
        var user: String?
        while user?.hasPrefix("sleep (") != true { user = DeviceProblem.otherUser(of: file) }
        let name = try #require(user)
        #expect(DeviceProblem.refusal(of: file, EBUSY).words == "\(file) is used by \(name)")
        let words = "Device or resource busy (used by \(name))"
        #expect(V4L2Device.error("VIDIOC_S_FMT", -EBUSY, at: file) == .device("VIDIOC_S_FMT: \(words)"))
        let process = name.dropFirst(7).dropLast().description
        kill(try #require(pid_t(process)), SIGKILL)
        pclose(child)
        #expect(DeviceProblem.otherUser(of: file) == nil)
        #expect(DeviceProblem.refusal(of: file, EBUSY).words == "\(file) is in use")
    }
}
