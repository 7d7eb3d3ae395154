package import Messages

/// What one run of `ctl` does with a camera.
package enum CtlOperation: Sendable {
    /// Sends a command and prints the final answer.
    case command(Node, CommandPayload)
    case listPresets
    case listControls
    /// Sets controls. Their values are converted as the camera's info describes the controls.
    case setControls([ControlSetting])
    /// Takes a photo and transfers it.
    case capture(CommandPayload, to: PhotoDestination)
    /// Starts a recording and prints its path.
    case startRecording(CommandPayload)
    /// Records for the length that the command has, and waits for the file. An interrupt stops the recording.
    case record(CommandPayload)
    case pinch(PinchGesture)
    /// Cancels the command with this id that waits for its time, on whichever node.
    case cancel(String)
    /// Lists at most so many photos and recordings.
    case listMedia(kind: MediaKind?, limit: Int)
    /// Copies a photo or a recording to a local file.
    case copyMedia(String, to: String, replaces: Bool)

    /// Whether the answers are bytes that only MQTT 5 can assign to a request.
    var needsV5: Bool {
        switch self {
        case .capture, .copyMedia: true
        default: false
        }
    }

    /// How the operation is done with a group of cameras.
    package enum GroupUse: Sendable {
        /// By one command to all of them.
        case oneCommand
        /// By one operation after the other.
        case oneByOne
        /// Not at all: it is about one camera.
        case never
    }

    package var groupUse: GroupUse {
        switch self {
        case .command, .setControls, .startRecording, .pinch, .cancel: .oneCommand
        case .listPresets, .listControls, .listMedia: .oneByOne
        case .capture, .record, .copyMedia: .never
        }
    }

    /// The nodes to subscribe to, in addition to `availability`.
    var nodes: [String] {
        switch self {
        case .startRecording: ["recording"]
        case .record: ["event"]
        default: requiredStates
        }
    }

    /// The nodes whose retained states are needed before anything can be done.
    var requiredStates: [String] {
        switch self {
        case .listPresets: ["presets"]
        case .listControls, .setControls: ["info", "controls"]
        default: []
        }
    }
}

/// Where a transferred photo is written to.
package enum PhotoDestination: Sendable, Equatable {
    case standardOutput
    case file(String)
}
