package import Cameras
package import ZoomModel

/// A change in a camera that other parts react to. It is posted to ``CameraContext`` and delivered to all
/// nodes before `post` returns.
package enum CameraChange: Sendable {
    /// A device was found; it isn't restored yet.
    case deviceAttached
    /// The zoom is restored, or can't be in the time for it.
    case deviceReady
    /// The device is gone, and every node has failed the requests that waited for it.
    case deviceDetached
    /// It became known whether there is a device. Posted at least once, and again with each device that comes
    /// or goes.
    case presenceKnown
    /// The agent stops, and every node has failed its pending requests.
    case stopped

    /// The lens reported; see ``LensReport``.
    case lens(LensReport)
    /// Another program or a person changed controls of the device.
    case controlsChangedExternally
    /// Frames come in another mode, which may have another range of the lens.
    case modeChanged
    /// After a recording in another pixel format, the device could not be changed back. The session now has
    /// that format.
    case sessionModeLost
    /// The mode may be changed again: a recording or a change of the session has ended.
    case modeReleased

    /// A client's command moves the zoom, so requests that wait to move it are superseded.
    case zoomCommanded
    /// The lease passes to another client, that of this origin.
    case leasePassed(Origin)
    /// The revisions continue above one of a run whose state is lost; then all nodes publish their states.
    case revisionsContinued

    /// The zoom has a state, which was published if it differs from the one before.
    case zoomPublished
    /// The zoom has come to rest, or is restored.
    case zoomSettled
    /// A gesture began, changed or ended.
    case gesturesChanged
    /// The controls were read, and were published if a value has changed.
    case controlsPublished
    /// The file of a recording has its first frame, which this encoder has encoded.
    case encoderUsed(String)
    /// The device of the virtual camera shows no picture of the camera any more, or can't be used.
    case outputIsBlack
    /// A recording has ended and its file is complete.
    case recordingEnded
    /// A photo was stored, or the file of a recording was completed or repaired. For it, older ones may have
    /// been deleted.
    case filesChanged
    /// A client has deleted the file with this name.
    case fileDeleted(name: String)
}
