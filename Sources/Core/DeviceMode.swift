internal import Cameras

/// The present use of the mode of the frames. The mode isn't changed while frames are recorded, but for the
/// pixel format by the recording itself, and no recording starts while it changes.
enum ModeUse { case free, changing, recording }

/// The use of the mode by one node, until the node releases it or the device is replaced.
struct ModeClaim {
    fileprivate let number: Int
}

/// Who uses the mode of a device, and which mode the session has.
struct DeviceMode {
    private(set) var use = ModeUse.free
    private var lastClaim = 0
    /// The mode before a recording chose another pixel format; nil: none did.
    var sessionMode: CameraMode?

    /// Another device: claims on the one before have ended.
    mutating func deviceReplaced() {
        (use, sessionMode) = (.free, nil)
        lastClaim += 1
    }

    /// Claims the mode; nil when it is in use.
    mutating func claim(for use: ModeUse) -> ModeClaim? {
        guard self.use == .free else { return nil }
        self.use = use
        lastClaim += 1
        return ModeClaim(number: lastClaim)
    }

    /// Ends a claim. Returns false if it has ended already.
    mutating func release(_ claim: ModeClaim) -> Bool {
        guard claim.number == lastClaim, use != .free else { return false }
        use = .free
        return true
    }
}
