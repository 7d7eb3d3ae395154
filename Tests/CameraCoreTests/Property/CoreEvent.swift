import TestSupport

@testable import Cameras
@testable import Contract

/// One thing that happens to a camera. Each is possible at any time, so that a list of them can be shortened.
enum CoreEvent: Sendable, CustomStringConvertible {
    /// `$REV`, `$NOW`, `$SOON` and `$PAST` in the JSON stand for the present `rev` and for times of day.
    case request(Node, String, acceptsPhotos: Bool)
    case attach(opticalMax: Double, Set<MisbehavingCamera.Fault>)
    case detach(CameraAbsence)
    /// The device's or the media threads' answers to an operation wait from now on; or the oldest one, or
    /// all, are given.
    case hold(ScriptedCamera.Operation)
    case release(ScriptedCamera.Operation, isLast: Bool)
    case holdMedia(ScriptedMedia.Operation)
    case releaseMedia(ScriptedMedia.Operation, isLast: Bool)
    /// From now on an operation fails, or succeeds again.
    case fail(ScriptedCamera.Operation, CameraError?)
    case failMedia(ScriptedMedia.Operation, CommandError?)
    case failThreads(CommandError?)
    /// The device dies: one call fails with `unplugged` before the source reports it.
    case unplugDuring(ScriptedCamera.Operation)
    /// The lens begins to move for the request that it holds.
    case beginMoving
    case lens(LensReport)
    case turnControl(String, Double)
    /// What a closed device had pending is answered now.
    case answerLate
    case fillRecording
    case capacity(Bool)
    /// The disk of the saved state hangs, or goes on.
    case holdDisk(Bool)
    case failDisk(CommandError?)
    case pass(Duration)
    case beginStop
    case finishStop

    var description: String {
        switch self {
        case .request(let node, let json, let acceptsPhotos):
            "\(node.name)/set \(json.isEmpty ? "(empty)" : json)\(acceptsPhotos ? "" : ", without photos")"
        case .attach(let optical, let faults):
            "attach, optical \(optical)\(faults.isEmpty ? "" : ", \(faults)")"
        case .detach(let absence): "detach: \(absence)"
        case .hold(let operation): "hold \(operation)"
        case .release(let operation, let isLast): "release \(operation)\(isLast ? " for good" : "")"
        case .holdMedia(let operation): "hold \(operation)"
        case .releaseMedia(let operation, let isLast): "release \(operation)\(isLast ? " for good" : "")"
        case .fail(let operation, let error): "\(operation) \(error.map { "fails: \($0)" } ?? "succeeds")"
        case .failMedia(let operation, let error): "\(operation) \(error == nil ? "succeeds" : "fails")"
        case .failThreads(let error): "threads are \(error == nil ? "begun" : "refused")"
        case .unplugDuring(let operation): "unplug during \(operation)"
        case .beginMoving: "the lens begins to move"
        case .lens(let report): "lens: \(report)"
        case .turnControl(let name, let value): "\(name) is changed to \(value)"
        case .answerLate: "a closed device answers"
        case .fillRecording: "the file is full"
        case .capacity(let has): "capacity: \(has)"
        case .holdDisk(let isHeld): "the disk \(isHeld ? "hangs" : "goes on")"
        case .failDisk(let error): "the state is \(error == nil ? "stored" : "refused")"
        case .pass(let time): "pass \(time)"
        case .beginStop: "begin to stop"
        case .finishStop: "finish the stop"
        }
    }
}

/// How the camera of a run is configured.
struct CoreConfiguration: Sendable, CustomStringConvertible {
    var reasserts = false
    var recordsByButton = false
    var hasLongPress = true
    var hasMicrophone = false
    var standingPreviewRate: Double?
    var hasVideo = false

    init(seed: UInt64) {
        reasserts = seed & 1 == 1
        recordsByButton = seed & 6 == 2
        hasLongPress = seed & 8 == 0
        hasMicrophone = seed & 16 == 16
        standingPreviewRate = seed & 96 == 32 ? 1 : nil
        hasVideo = seed % 3 == 0
    }

    var description: String {
        """
        reasserts \(reasserts), recordsByButton \(recordsByButton), hasLongPress \(hasLongPress), \
        hasMicrophone \(hasMicrophone), standingPreviewRate \(standingPreviewRate ?? 0), \
        hasVideo \(hasVideo)
        """
    }
}
