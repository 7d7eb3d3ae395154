internal import Contract
internal import Settings

extension ShutterSettings {
    /// The settings as `info` has them.
    var forMessages: CameraInfo.Shutter {
        CameraInfo.Shutter(
            primary: primary.forMessages, secondary: secondary.forMessages,
            longPressMilliseconds: longPress.map { Int($0 / .milliseconds(1)) })
    }
}

extension ShutterAction {
    var forMessages: CameraInfo.Shutter.Action {
        switch self {
        case .photo: .photo
        case .record: .record
        }
    }
}
