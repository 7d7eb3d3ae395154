internal import Base
internal import Contract
internal import ZoomModel

/// The state of one node on its way to clients: it is compared with what was published last, and gets `rev`,
/// `boot` and `ts`. Nil is `null`.
final class Publication<State: StateForm> {
    private let context: CameraContext
    private let channel: Channel
    /// A change of the state is a change of the camera, which gets a new `rev`.
    private let isCounted: Bool
    /// The state can be `null`.
    private let isNullable: Bool
    /// What was published last.
    private(set) var published: State?
    /// Something was published in this run.
    private var isPublished = false
    /// The source of the last change.
    private(set) var origin: Origin?
    /// The `rev` of the last message.
    private(set) var rev = 0
    private var lastTime: ContinuousClock.Instant?
    /// Nil: nothing has waited yet, as in most publications of a thousand cameras.
    private var timer: LoopTimer?
    /// Publishes the state when ``updateSoon()`` has waited.
    var due: () -> Void

    /// - Parameter due: publishes the state when ``updateSoon()`` has waited.
    init(
        _ context: CameraContext, _ channel: Channel, isCounted: Bool = false, isNullable: Bool = false,
        due: @escaping () -> Void
    ) {
        (self.context, self.channel, self.due) = (context, channel, due)
        (self.isCounted, self.isNullable) = (isCounted, isNullable)
    }

    /// For the state of a node.
    convenience init<Of: NodeContract>(
        _ context: CameraContext, of contract: Of.Type, due: @escaping () -> Void = {}
    ) where Of.State == State {
        self.init(
            context, .node(Node(contract)), isCounted: Of.isCounted, isNullable: Of.isNullable, due: due)
    }

    /// Publishes the state if it has changed.
    ///
    /// - Parameters:
    ///   - origin: the source of the change, for states that tell it.
    ///   - repeats: publish it also if it hasn't changed. A change of the camera is counted once.
    /// - Returns: whether it has changed.
    @discardableResult
    func update(_ state: State?, from origin: Origin? = nil, repeats: Bool = false) -> Bool {
        cancel()
        let isChanged = differs(state)
        guard isChanged || repeats, !context.isStopped else { return false }
        precondition(state != nil || isNullable, "a state is missing that is never null")
        if isChanged {
            if isCounted { context.stamp() }
            (published, isPublished, self.origin) = (state, true, origin)
        }
        (rev, lastTime) = (context.rev, context.now)
        let stamp = context.stamp(from: self.origin)
        context.publish(state, encoded: state?.bytes(stamp) ?? JSON.bytes(JSON.null), on: channel)
        return isChanged
    }

    /// Whether the state is another one than the one that was published last.
    func differs(_ state: State?) -> Bool { !isPublished || published != state }

    /// Publishes the state also if it hasn't changed: what an earlier run published may be out of date.
    func publish(_ state: State?, from origin: Origin? = nil) { update(state, from: origin, repeats: true) }

    /// Publishes a state that may change with every frame: now, or a minimum interval after it was published
    /// last. The last change is always published.
    func updateSoon() {
        let timer = timer ?? context.timer { [weak self] in self?.due() }
        self.timer = timer
        guard !timer.isSet else { return }
        timer.set(at: lastTime.map { $0.advanced(by: .milliseconds(100)) } ?? context.now)
    }

    /// Forgets what waits.
    func cancel() { timer?.cancel() }
}
