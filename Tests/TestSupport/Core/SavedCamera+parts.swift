package import Contract
package import Core

/// The values of all parts, by their names in the file where those say what they are.
extension SavedCamera {
    private typealias Zoom = Node.Zoom.Saved
    private typealias Capture = Node.Capture.Saved
    private typealias Recording = Node.Recording.Saved

    package var factor: Double {
        get { self[Zoom.self].factor }
        set { self[Zoom.self].factor = newValue }
    }
    package var centerX: Double {
        get { self[Zoom.self].centerX }
        set { self[Zoom.self].centerX = newValue }
    }
    package var centerY: Double {
        get { self[Zoom.self].centerY }
        set { self[Zoom.self].centerY = newValue }
    }
    package var controls: [String: ControlValue] {
        get { self[Node.Controls.Saved.self].values }
        set { self[Node.Controls.Saved.self].values = newValue }
    }
    package var photoNumber: Int {
        get { self[Capture.self].photoNumber }
        set { self[Capture.self].photoNumber = newValue }
    }
    package var lastPhoto: PhotoFields? {
        get { self[Capture.self].lastPhoto }
        set { self[Capture.self].lastPhoto = newValue }
    }
    package var recordingNumber: Int {
        get { self[Recording.self].number }
        set { self[Recording.self].number = newValue }
    }
    package var lastRecording: RecordingFields? {
        get { self[Recording.self].last }
        set { self[Recording.self].last = newValue }
    }
    package var unfinishedRecordings: [RecordingFields] {
        get { self[Recording.self].unfinished }
        set { self[Recording.self].unfinished = newValue }
    }
    package var session: SavedSession? {
        get { self[Node.Session.Saved.self].session }
        set { self[Node.Session.Saved.self].session = newValue }
    }
    package var presets: [String: PresetFields] {
        get { self[Node.Presets.Saved.self].presets }
        set { self[Node.Presets.Saved.self].presets = newValue }
    }
    package var privacy: SavedPrivacy? {
        get { self[Node.Privacy.Saved.self].privacy }
        set { self[Node.Privacy.Saved.self].privacy = newValue }
    }
    package var desired: SavedDesired? { self[Node.Desired.Saved.self].own }
    package var applyingVersion: Int? { self[Node.Desired.Saved.self].applyingVersion }
    package var outcomes: [SavedDesired] {
        get { self[Node.Desired.Saved.self].outcomes }
        set { self[Node.Desired.Saved.self].outcomes = newValue }
    }
    package var hasOutput: Bool? {
        get { self[SavedOutput.self].hasOutput }
        set { self[SavedOutput.self].hasOutput = newValue }
    }
}
