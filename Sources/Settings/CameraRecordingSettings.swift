/// How the recordings of one camera are made.
package struct CameraRecordingSettings: Sendable, Equatable {
    /// Whether a camera that has H.264 beside the session's pixel format is changed to it for recordings at
    /// 1×, so that nothing has to be encoded. Its stream stops for each change.
    package var usesCameraVideo: Bool

    package init(usesCameraVideo: Bool = true) { self.usesCameraVideo = usesCameraVideo }
}
