internal import Bus
package import Contract
package import Fleet

/// What one run of `ctl` does with a camera.
package enum CtlOperation: Sendable {
    /// Sends a command and prints the final answer.
    case command(Node, JSONObject)
    case listPresets
    case listControls
    /// Prints who has the lease.
    case showLease
    /// Sets controls. Their values are converted as the camera's info describes the controls.
    case setControls([ControlSetting])
    /// Takes a photo and transfers it.
    case capture(JSONObject, to: LocalPlace)
    /// Starts a recording and prints its path.
    case startRecording(JSONObject)
    /// Records for the length that the command has, and waits for the file. An interrupt stops the recording.
    case record(JSONObject)
    case pinch(PinchGesture)
    /// Cancels the command with this id that waits for its time, on whichever node.
    case cancel(String)
    /// Lists at most so many photos and recordings.
    case listMedia(kind: MediaKind?, limit: Int)
    /// Copies photos and recordings to local files, one after the other.
    case copyMedia(MediaSelection, to: LocalPlace, replaces: Bool)

    /// The messages that it consists of. Those that depend on the camera are left out.
    var messages: [(node: Node, fields: JSONObject)] {
        switch self {
        case .command(let node, let fields): [(node, fields)]
        case .capture(let fields, _): [(.capture, fields)]
        case .startRecording(let fields), .record(let fields): [(.recording, fields)]
        case .pinch(let gesture): (0...gesture.steps + 1).map { (.pinch, gesture.sample($0)) }
        // Of the nodes, the one that has the command carries it out.
        case .cancel(let id):
            Node.allCases.filter { $0.contract.mayWait }.map { ($0, ["cancel": .text(id)]) }
        case .copyMedia(.names(let names), _, _): names.map { (.media, ["describe": .text($0)]) }
        case .listPresets, .listControls, .showLease, .setControls, .listMedia, .copyMedia: []
        }
    }

    /// Checks by the contract what is sent: a command that no agent takes needs no broker. One that depends
    /// on the camera is checked as far as all commands are the same.
    package func check(_ options: CtlOptions) throws(CommandError) {
        let (node, fields) = messages.last ?? (.capture, [:])
        let payload = JSON.bytes(JSON.object(fields.sent(as: options.commandID ?? "1", options)))
        _ = try Command(for: node, payload: payload).body.get()
    }

    /// Whether the answers are bytes that only MQTT 5 can assign to a request.
    var needsV5: Bool {
        switch self {
        case .capture, .copyMedia: true
        default: false
        }
    }

    /// What is received at most (`BusSettings.maxPacketSize`). A photo comes whole, a file in parts.
    var maxPacketSize: UInt32 {
        if case .capture = self { 16 << 20 } else { BusSettings.usualMaxPacketSize }
    }

    /// Whether it ends with the ends of the recordings that it has started.
    var waitsForRecordings: Bool {
        if case .record = self { true } else { false }
    }

    /// What is read of the fleet.
    func needs(_ options: CtlOptions) -> FleetNeeds {
        let live = waitsForRecordings ? ["event"] : []
        guard options.group != nil else {
            return FleetNeeds(
                agent: options.agent, camera: options.camera, required: [],
                followed: ["availability"] + states, followedLive: live)
        }
        // One command for all has values that follow from `info`, and does not end with the states.
        let states =
            switch self {
            case .startRecording, .setControls: [String]()
            default: states.filter { $0 != "info" }
            }
        return FleetNeeds(required: ["availability", "info"] + states, live: live)
    }

    /// The nodes whose retained states are needed of one camera.
    private var states: [String] {
        switch self {
        case .listPresets: ["presets"]
        case .showLease: ["lease"]
        case .startRecording: ["recording"]
        case .listControls, .setControls: ["info", "controls"]
        case .command, .capture, .record, .pinch, .cancel, .listMedia, .copyMedia: []
        }
    }
}

/// Which photos and recordings of a camera are copied.
package enum MediaSelection: Sendable, Equatable {
    case names([String])
    /// At most so many, the newest first.
    case newest(kind: MediaKind?, count: Int)
}

/// Where photos and recordings go.
package enum LocalPlace: Sendable, Equatable {
    /// For a photo only.
    case standardOutput
    /// The local file for the only one.
    case file(String)
    /// A folder, which is made if it is missing, and in which each file has its name behind this prefix.
    case folder(String, prefix: String = "")

    /// The place of the files of a camera of a group: names at different agents can be the same.
    static func folder(_ path: String, of address: CameraAddress) -> LocalPlace {
        .folder(path, prefix: "\(address.agent)-\(address.camera)-")
    }

    /// The local file for a file of the agent; nil: its name can't be that of a local file. The name comes
    /// from the bus.
    func path(for name: String) -> String? {
        switch self {
        case .standardOutput: return nil
        case .file(let path): return path
        case .folder(let folder, let prefix):
            // No hidden file, no parent folder, and no option of a program.
            guard name.utf8.allSatisfy(\.isPartOfFileName), (1...200).contains(name.utf8.count),
                !name.hasPrefix("."), !name.hasPrefix("-")
            else { return nil }
            return "\(folder)/\(prefix)\(name)"
        }
    }
}
