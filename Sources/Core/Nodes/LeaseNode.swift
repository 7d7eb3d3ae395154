internal import Base
internal import Contract
internal import ZoomModel

/// `lease`: the right to move the zoom alone, for a while.
final class LeaseNode: CameraNode, CommandNode {
    typealias Contract = Node.Lease

    private var lease = Lease()
    private lazy var publication = Publication<LeaseState>(context, of: Contract.self)
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    /// The client that holds the lease now.
    private var holder: ClientIdentity? { lease.holder(at: context.now.forModel) }

    /// When the lease expires.
    private var end: ContinuousClock.Instant? { lease.end.map { ContinuousClock.Instant($0) } }

    /// Why a request that moves the zoom is refused; nil: no other client holds the lease.
    func refusal(of request: Request) -> CommandError? {
        // Mostly there is no lease, and the clock needn't be read.
        guard lease.end != nil, let holder, holder != request.client else { return nil }
        return Self.held(by: holder)
    }

    private static func held(by holder: ClientIdentity) -> CommandError {
        let advice = CommandError.Advice.takeLease.rawValue
        return CommandError(
            .held, "\(holder.name) holds the lease on the zoom; wait for its end, or \(advice).")
    }

    func handle(_ command: LeaseSet, _ request: Request) throws(CommandError) {
        var isPassing = false
        do throws(Lease.Refusal) {
            switch command {
            case .take(let milliseconds, let force):
                guard let client = request.client else {
                    return context.refuse(
                        request,
                        CommandError(
                            .badPayload, "client: required, because it becomes the holder of the lease.",
                            field: "client"))
                }
                isPassing = holder != client
                let before = try lease.take(
                    for: client, lasting: .milliseconds(milliseconds), force: force, at: context.now.forModel)
                if let before {
                    context.publishEvent(.takeOver, by: request.envelope) { event in
                        (event.holder, event.isHolderProved) = (before.name, before.isProved)
                    }
                }
            case .release: try lease.release(by: request.client, at: context.now.forModel)
            }
        } catch {
            switch error {
            case .heldBy(let holder): throw Self.held(by: holder)
            }
        }
        update()
        if isPassing { context.post(.leasePassed(request.origin(.command))) }
        context.reply(.done, to: request)
    }

    override func publish() { update(repeats: true) }

    /// Publishes who holds the lease, and schedules the publication of its end.
    private func update(repeats: Bool = false) {
        var state: LeaseState?
        if let holder, let end {
            state = LeaseState(client: holder, until: Timestamp.text(context.wallTime(at: end)))
        }
        timer.set(at: end)
        publication.update(state, repeats: repeats)
    }

    private func timerFired() {
        if lease.expire(at: context.now.forModel) { update() } else { timer.set(at: end) }
    }
}
