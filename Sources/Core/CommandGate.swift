internal import Contract
internal import FoundationEssentials

/// Decides whether a command is admitted. An admitted request gets exactly one final answer from its node.
struct CommandGate {
    let context: CameraContext
    let device: Device
    let lease: LeaseNode

    /// Checks a command, in this order: stopping, expiry, `if_rev`, device, lease, duplicate. Only a command
    /// that passes all others is recorded as carried out.
    ///
    /// - Returns: why the command is refused; nil: it is admitted.
    func refusal(of request: Request) -> CommandError? {
        refusalOnArrival(of: request) ?? refusalNow(of: request) ?? repetition(request)
    }

    /// Checks what decides when a command arrives, also if it is to wait for its time.
    func refusalOnArrival(of request: Request) -> CommandError? {
        if context.isStopping { return .stopping }
        if let expiry = request.envelope.expiry, expiry < context.wallNow {
            return CommandError(.stale, "The command was valid until \(Timestamp.text(expiry)).")
        }
        return nil
    }

    /// Checks what decides when a command is carried out.
    func refusalNow(of request: Request) -> CommandError? {
        if let expected = request.envelope.ifRev, expected != context.rev {
            return CommandError(
                .conflict, "The camera is at rev \(context.rev), not \(expected).", field: "if_rev")
        }
        if request.policy.needsDevice, let absence = device.absence { return absence }
        return request.policy.movesZoom ? lease.refusal(of: request) : nil
    }

    /// Why a command isn't carried out once more; nil: it is the first with its id, and is recorded.
    func repetition(_ request: Request) -> CommandError? {
        guard request.policy.runsOnce, let id = request.envelope.id, context.isRepeated(request) else {
            return nil
        }
        return CommandError(
            .duplicate, "\(id) was executed before; a new command needs a new id.", field: "id")
    }
}
