internal import Messages

/// The metrics of one camera. What is counted is counted since the start of the exporter.
struct CameraMetrics {
    private struct Info: Decodable {
        var model: String?
    }

    private struct Diagnostics: Decodable {
        var freeBytes: Double?
        var frames: Double?
        var lost: Double?

        private enum CodingKeys: String, CodingKey {
            case frames, lost
            case freeBytes = "free_bytes"
        }
    }

    private struct Recording: Decodable {
        var state: String?
    }

    private struct Event: Decodable {
        struct Ending: Decodable {
            var reason: String?
        }

        var event: String?
        var error: CommandErrorCode?
        var recording: Ending?
    }

    private struct CommandErrorCode: Decodable {
        var code: String?
    }

    private var info: Info?
    private var availability: Availability?
    private var diagnostics: Diagnostics?
    private var recording: Recording?
    private(set) var photos = 0
    /// Finished recordings by the reason of their end.
    private(set) var recordings: [String: Int] = [:]
    /// Refused commands by their error.
    private(set) var refusals: [String: Int] = [:]

    /// The nodes that are shown.
    static let nodes = ["info", "availability", "diagnostics", "recording", "event"]

    /// Whether there is a camera: events alone do not make one.
    var isKnown: Bool { info != nil || availability != nil }

    /// Takes the message of a node. An empty payload removes a state.
    mutating func take(_ node: String, _ payload: [UInt8]) {
        switch node {
        case "info": info = Self.value(payload)
        case "availability": availability = Self.value(payload)
        case "diagnostics": diagnostics = Self.value(payload)
        case "recording": recording = Self.value(payload)
        case "event": count(Self.value(payload))
        default: break
        }
    }

    private static func value<Fields: Decodable>(_ payload: [UInt8]) -> Fields? {
        payload.isEmpty ? nil : JSON.value(Fields.self, from: payload)
    }

    private mutating func count(_ event: Event?) {
        switch event?.event {
        case "shutter": photos += 1
        case "recording_finished":
            Self.count(event?.recording?.reason, in: &recordings)
        case "refused":
            Self.count(event?.error?.code, in: &refusals)
        default: break
        }
    }

    /// Different labels of one counter of a camera.
    private static let maxLabels = 32

    private static func count(_ label: String?, in counts: inout [String: Int]) {
        let label = LabelText.of(label)
        counts[counts[label] == nil && counts.count >= maxLabels ? "" : label, default: 0] += 1
    }

    /// 1: online; 0: it is not; NaN: not known.
    ///
    /// - Parameter agent: the same of its agent.
    func up(agent: Double) -> Double {
        if agent.isNaN { return .nan }
        return agent == 1 && availability?.state == .online ? 1 : 0
    }

    /// Why a camera is offline, or `private`; nil: there is no reason.
    var reason: String? {
        availability?.reason.map { LabelText.of($0) }
    }

    var model: String? { info.map { LabelText.of($0.model) } }
    var frames: Double? { diagnostics?.frames }
    var lostFrames: Double? { diagnostics?.lost }
    var freeBytes: Double? { diagnostics?.freeBytes }
    var isRecording: Double? { recording?.state.map { $0 == "recording" ? 1 : 0 } }
}
