package import Contract

/// What came of a command at one camera.
package enum MemberResult: Sendable, Equatable {
    case done
    /// With a word: the code of the error, `superseded`, or how a recording has ended.
    case refused(reason: String, message: String?)
    /// No answer came in time.
    case silent(reason: String)

    /// The result that a final answer is; nil: it is none.
    package init?(_ reply: Reply) {
        switch reply.status {
        case .accepted: return nil
        case .done:
            if let error = reply.error { self = .refused(error) } else { self = .done }
        case .superseded: self = .refused(reason: Reply.Status.superseded.rawValue, message: nil)
        case .error: self = reply.error.map(Self.refused) ?? .refused(reason: "error", message: nil)
        }
    }

    /// The result that an outcome of a desired state is; nil: it is being applied.
    package init?(_ known: DesiredState.Known) {
        switch known.outcome {
        case .applying: return nil
        case .applied: self = .done
        case .superseded: self = .refused(reason: known.outcome.rawValue, message: nil)
        case .failed: self = known.error.map(Self.refused) ?? .refused(reason: "failed", message: nil)
        }
    }

    /// The result that the end of a recording is which was to end by itself.
    package init(_ recording: RecordingFields) {
        if let error = recording.error {
            let kept = recording.path.map { "; the incomplete file is \($0)" } ?? ""
            self = .refused(reason: error.code.rawValue, message: error.message + kept)
        } else if recording.reason.isRequested {
            self = .done
        } else {
            let kept = recording.path.map { "; its file is \($0)" } ?? ""
            self = .refused(
                reason: recording.reason.rawValue, message: "The recording ended early\(kept)")
        }
    }

    package static func refused(_ error: CommandError) -> Self {
        .refused(reason: error.code.rawValue, message: error.message)
    }
}

extension RecordingFields.Reason {
    /// Whether the recording ended as requested: by a command or by its maximum duration.
    package var isRequested: Bool { self == .stopped || self == .maximumDuration }
}
