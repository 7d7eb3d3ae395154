/// How the recordings of one camera are made.
package struct CameraRecordingSettings: Sendable, Equatable {
    /// Whether recordings at 1× store the camera's own H.264, where the camera has it beside the session's
    /// pixel format. If one video node has both formats, it is started again at the beginning and the end.
    package var usesCameraVideo = true
}
