/// What decides whether a command is admitted, and what carrying it out includes.
package struct CommandPolicy: Sendable, Equatable {
    /// The command can't be done without the device.
    package var needsDevice = true
    /// The command moves the zoom, so another client's lease refuses it.
    package var movesZoom = false
    /// A repetition under the same id is refused as `duplicate`. Samples have sequence numbers of their own,
    /// leases are renewed by repetition, and a desired state has a version.
    package var runsOnce = true
    /// The command counts against its client's rate limit. Samples don't, as the newest replaces the others,
    /// and neither does a command that ends an activity.
    package var isRateLimited = true
    /// Photos that the command may take within a minute: they count against its client's limit of photos.
    package var photos = 0
    /// The command changes the saved state; its answer has `persisted: false` when that can't be stored.
    package var savesState = false
    /// Frames have to come when the command is carried out.
    package var usesFrames = false
    /// The command can wait for a time. A press of a button and the end of captures act at once.
    package var mayWait = true

    package init() {}

    init(
        needsDevice: Bool = true, movesZoom: Bool = false, runsOnce: Bool = true, isRateLimited: Bool = true,
        photos: Int = 0, savesState: Bool = false, usesFrames: Bool = false, mayWait: Bool = true
    ) {
        (self.needsDevice, self.movesZoom, self.runsOnce) = (needsDevice, movesZoom, runsOnce)
        (self.isRateLimited, self.photos, self.savesState) = (isRateLimited, photos, savesState)
        (self.usesFrames, self.mayWait) = (usesFrames, mayWait)
    }
}
