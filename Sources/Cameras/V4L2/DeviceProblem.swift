internal import Base
internal import CLinux
internal import CV4L2
internal import Glibc

/// Why there is no camera at a path.
package struct DeviceProblem: Sendable, Equatable {
    package enum Cause: Sendable {
        /// There is nothing.
        case missing
        /// The user of the process may not open it.
        case forbidden
        /// It is no camera, or can't be opened now.
        case other
    }

    /// As it was asked for.
    let path: String
    let cause: Cause
    /// For the user.
    package let words: String

    /// The major number of all video devices.
    private static let videoDevices: UInt64 = 81

    init(path: String, cause: Cause, words: String) {
        (self.path, self.cause, self.words) = (path, cause, words)
    }

    /// Nil: there is a camera. Only video devices are opened.
    init?(at path: String) {
        self.path = path
        var found = stat()
        guard stat(path, &found) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            cause = isMissing ? .missing : .other
            words = isMissing ? "\(path) does not exist" : "\(path): \(String(cString: strerror(errno)))"
            return
        }
        guard found.st_mode & S_IFMT == S_IFCHR, UInt64(found.st_rdev) >> 8 & 0xFFF == Self.videoDevices
        else {
            (cause, words) = (.other, "\(path) is no camera")
            return
        }
        let descriptor = clinux_open_by_system_call(path, O_RDWR | O_NONBLOCK)
        guard descriptor < 0 else {
            defer { clinux_close_by_system_call(descriptor) }
            var identity = cv4l2_identity()
            let isCamera =
                cv4l2_identify(descriptor, &identity) == 0 && identity.capture != CV4L2_NO_BUFFERS
            if isCamera { return nil }
            (cause, words) = (.other, "\(path) is no camera")
            return
        }
        (cause, words) = Self.refusal(of: path, -descriptor, advice: Self.advice(found))
    }

    /// Why a device can't be opened.
    ///
    /// - Parameters:
    ///   - code: the error.
    ///   - advice: for a user without the rights.
    static func refusal(of path: String, _ code: Int32, advice: String = "") -> (Cause, words: String) {
        switch code {
        case EACCES, EPERM: (.forbidden, "no permission for \(path)\(advice)")
        case ENXIO, ENODEV: (.missing, "\(path) has no device")
        case EBUSY: (.other, "\(path) is \(otherUser(of: path).map { "used by \($0)" } ?? "in use")")
        default: (.other, "\(path): \(String(cString: strerror(code)))")
        }
    }

    /// What gives the user the rights of a file's group; empty: the group has none.
    private static func advice(_ file: stat) -> String {
        guard file.st_mode & (S_IRGRP | S_IWGRP) == S_IRGRP | S_IWGRP else { return "" }
        let name = getgrgid(file.st_gid).map { String(cString: $0.pointee.gr_name) }
        return ": add the user to the group \(name ?? "\(file.st_gid)")"
    }

    /// Another process that has a file open, as `ffmpeg (1234)`; nil: there is none, or the system does not
    /// say.
    static func otherUser(of path: String) -> String? {
        guard let real = Files.realPath(path) else { return nil }
        for process in DeviceScan.entries(of: "/proc") where Int32(process).map({ $0 != getpid() }) == true {
            let folder = "/proc/\(process)/fd"
            guard
                DeviceScan.entries(of: folder).contains(where: { Files.realPath("\(folder)/\($0)") == real })
            else { continue }
            return "\(DeviceScan.firstLine(of: "/proc/\(process)/comm") ?? "a program") (\(process))"
        }
        return nil
    }
}

extension DeviceScan {
    /// Why some devices are no cameras for this process: those at the given paths, and all that it may not
    /// open.
    ///
    /// - Parameter devices: those that were found.
    package static func problems(at paths: [String], but devices: [FoundDevice]) -> [DeviceProblem] {
        let all = nodes("video").map { "/dev/" + $0 }
        let forbidden = all.filter { path in !devices.contains { $0.isAt(path) } }.compactMap {
            DeviceProblem(at: $0)
        }.filter { $0.cause == .forbidden && !paths.contains($0.path) }
        return paths.filter { path in !devices.contains { $0.isAt(path) } }.compactMap {
            DeviceProblem(at: $0)
        }
            + forbidden
    }
}
