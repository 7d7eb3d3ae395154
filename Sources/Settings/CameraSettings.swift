/// One camera of an agent.
package struct CameraSettings: Sendable, Equatable {
    /// All keys have their defaults.
    package static let standard = CameraSettings()

    /// The camera's name in its topics: 1 to 64 of `a-z0-9_-`.
    package var id = "camera"
    /// The camera's name for people: printable, at most 64 bytes.
    package var name: String?
    /// In order of preference: the first that is present is used. Never empty.
    package var sources: [SourceChoice] = [.simulated]
    /// The JPEG file that a simulated camera shows. Nil: a generated scene.
    package var image: String?
    /// Groups whose commands the camera obeys: different names of 1 to 64 of `a-z0-9_-`.
    package var groups: [String] = []
    /// Zoom factors; 1 ≤ lower bound < upper bound ≤ 100.
    package var zoom: ClosedRange<Double> = 1...8
    /// Tags for the place (`front`) and for the kind (`wide`) of the camera, in the form of an id.
    package var position: String?
    package var kind: String?
    /// How the picture is turned and mirrored.
    package var orientation = OrientationSettings()
    package var external = ExternalChanges.follow
    /// Whether the camera is announced to Home Assistant, when ``HomeAssistantSettings/isOn``.
    package var isDiscovered = true
    package var device = DeviceSettings()
    /// The ALSA device for the sound of recordings. Nil: recordings have no sound.
    package var microphone: String?
    package var shutter = ShutterSettings()
    package var privacy = PrivacySettings()
    package var simulation = SimulationSettings()
    package var output = OutputSettings()
    package var recording = CameraRecordingSettings()
}

/// Who may switch a camera's privacy off. Every client may switch it on.
package struct PrivacySettings: Sendable, Equatable {
    /// Different names of 1 to 64 of `a-z0-9_-`. Nil: every client may. A list needs clients whose names are
    /// proved: any client can give itself a name.
    package var off: [String]?
}

/// What the agent does when another program moves the lens or sets a control.
package enum ExternalChanges: String, CaseIterable, Sendable {
    /// Publish the new value.
    case follow
    /// Restore the previous value.
    case reassert
}

/// One possible source of a camera's frames.
package enum SourceChoice: Sendable, Equatable {
    case simulated
    /// A device's path, such as `/dev/video0` or a link under `/dev/v4l/by-id`.
    case v4l2(path: String)
    /// The device with this serial number, whatever its path is.
    case serial(String)
    /// Any device with these properties.
    case properties(DevicePattern)
}
