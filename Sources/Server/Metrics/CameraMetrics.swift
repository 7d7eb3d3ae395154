internal import Contract
internal import Fleet

/// The metrics of one camera. What is counted is counted since the start of the exporter.
struct CameraMetrics: Facts {
    private struct Info: Form {
        var model: String?

        init(_ f: inout some FormVisitor<Self>) { model = f.maybe("model", \.model, .any, "") }
    }

    private struct Diagnostics: Form {
        var freeBytes: Int?
        var frames: Int?
        var lost: Int?

        init(_ f: inout some FormVisitor<Self>) {
            freeBytes = f.maybe("free_bytes", \.freeBytes, .count, "")
            frames = f.maybe("frames", \.frames, .count, "")
            lost = f.maybe("lost", \.lost, .count, "")
        }
    }

    private struct Recording: Form {
        var state: String?
        var reason: String?

        init(_ f: inout some FormVisitor<Self>) {
            state = f.maybe("state", \.state, .any, "")
            reason = f.maybe("reason", \.reason, .any, "")
        }
    }

    private struct Event: Form {
        var event: String?
        var error: ErrorCode?
        var recording: Recording?

        init(_ f: inout some FormVisitor<Self>) {
            event = f.maybe("event", \.event, .any, "")
            error = f.maybe("error", \.error, .any, "")
            recording = f.maybe("recording", \.recording, .any, "")
        }
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

    /// Whether there is a camera.
    var isKnown: Bool { info != nil || availability != nil }

    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        switch node {
        case "info": info = JSON.state(payload)
        case "availability": availability = JSON.state(payload)
        case "diagnostics": diagnostics = JSON.state(payload)
        case "recording": recording = JSON.state(payload)
        case "event": count(JSON.state(payload))
        default: break
        }
    }

    private mutating func count(_ event: Event?) {
        switch event?.event {
        case "shutter": photos += 1
        // One that goes on in another file hasn't finished.
        case "recording_finished" where event?.recording?.reason != "continued":
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

    /// Why a camera is offline, or `private`; nil: there is no reason.
    var reason: String? { availability?.reason.map { LabelText.of($0) } }

    var model: String? { info.map { LabelText.of($0.model) } }
    var frames: Double? { diagnostics?.frames.map(Double.init) }
    var lostFrames: Double? { diagnostics?.lost.map(Double.init) }
    var freeBytes: Double? { diagnostics?.freeBytes.map(Double.init) }
    var isRecording: Double? { recording?.state.map { $0 == "recording" ? 1 : 0 } }
}
