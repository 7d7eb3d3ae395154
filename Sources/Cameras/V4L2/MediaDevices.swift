internal import Base
internal import CLinux
internal import Synchronization

/// Opens media devices so that the locks of this process on them stay.
///
/// libcamera locks the media devices of a camera that it opens (lockf(3)), so that no other process opens
/// the camera. Such a lock ends when the process closes any descriptor of the device, and libcamera's
/// pipelines can have several media devices. Which ones, and when they are locked, only libcamera knows:
/// therefore media devices are never opened in the table of descriptors to which the locks belong.
enum MediaDevices {
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Runs work that opens and closes media devices on a thread with a table of descriptors of its own, and
    /// waits for its end. The work has no other descriptors of this process, and leaves none open.
    ///
    /// - Returns: nil if the system refuses such a thread; the work was not done then.
    static func withoutOwnLocks<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) -> Value? {
        let outcome = Outcome<Value>()
        let thread = try? Thread(name: "media-devices") {
            guard clinux_use_own_descriptors() == 0 else { return }
            let value = work()
            outcome.value.withLock { $0 = value }
        }
        thread?.join()
        return outcome.value.withLock { $0 }
    }

    /// Whether another process has locked a media device. False if that cannot be found out.
    static func isLockedByAnotherProcess(_ path: String) -> Bool {
        withoutOwnLocks { clinux_is_locked_by_others(path) != 0 } ?? false
    }
}
