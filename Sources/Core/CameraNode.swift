internal import Contract
internal import ZoomModel

/// A part of a camera with a state of its own or commands of its own, or one that only reacts to changes.
///
/// ``Camera`` makes the nodes in dependency order; it and ``CameraContext`` call each of these methods on all
/// of them. A node refers to the nodes that it uses, and never to those that use it: it posts a
/// ``CameraChange`` instead.
class CameraNode {
    let context: CameraContext
    let device: Device

    init(_ context: CameraContext, _ device: Device) { (self.context, self.device) = (context, device) }

    /// Reacts to a change in this camera.
    func observe(_ change: CameraChange) {}

    /// Publishes the node's state. Nodes that describe the device publish nothing while there is none.
    func publish() {}

    /// Ends what needs the device when it is gone or is made private, and all that is under way when the
    /// agent stops. ``CameraContext/end(_:_:)`` refuses the requests.
    func failPending(_ cause: PendingFailure) {}

    /// Writes what isn't written at each change (``CameraContext/keep(_:)``).
    func save(to state: inout SavedCamera) {}
}

/// The parts of a camera that most nodes use.
struct NodeBase {
    let context: CameraContext
    let device: Device
    let lease: LeaseNode
    let zoom: ZoomNode
    let controls: ControlsNode
    let media: MediaServices
}

/// A node with the parts that most nodes use.
class BasedNode: CameraNode {
    let lease: LeaseNode
    let zoom: ZoomNode
    let controls: ControlsNode
    let media: MediaServices

    init(_ base: NodeBase) {
        (lease, zoom, controls, media) = (base.lease, base.zoom, base.controls, base.media)
        super.init(base.context, base.device)
    }
}

/// A node that publishes one state.
class StateNode<Of: NodeContract>: BasedNode {
    typealias Contract = Of

    private(set) lazy var publication = Publication<Of.State>(
        context, of: Of.self)

    /// As it is now; nil is `null`.
    var state: Of.State? { nil }

    /// The source of its last change, if it tells that.
    var origin: Origin? { nil }

    /// What it keeps over restarts. A change is stored with ``CameraContext/saveState()``.
    final var saved: Of.Saved { didSet { context.keep(saved) } }

    override init(_ base: NodeBase) {
        saved = base.context.saved[Of.Saved.self]
        super.init(base)
    }

    override func publish() { publication.publish(state, from: origin) }

    /// Publishes the state if it has changed.
    func update() { publication.update(state, from: origin) }
}

/// A node that carries out the commands of a contract.
protocol CommandNode: CameraNode {
    associatedtype Contract: NodeContract

    /// - Throws: why the command is refused; it has no answer yet then.
    func handle(_ command: Contract.Command, _ request: Request) throws(CommandError)

    /// Carries out the command of a request. Returns false if it is none of its own. A requirement, so that
    /// it is compiled for each type.
    func carryOut(_ request: Request) throws(CommandError) -> Bool
}

extension CommandNode {
    var node: Node { Node(Contract.self) }

    func carryOut(_ request: Request) throws(CommandError) -> Bool {
        guard let command = request.command as? Contract.Command else { return false }
        try handle(command, request)
        return true
    }
}

/// Why pending requests fail.
enum PendingFailure: Equatable {
    case deviceGone(CommandError)
    /// The camera becomes private. Nothing of the device may be sent or stored any more.
    case privacy
    case stopping

    func ends(_ needs: Request.Needs) -> Bool {
        switch self {
        case .deviceGone: needs.contains(.device)
        case .privacy: needs.contains(.pictures)
        case .stopping: true
        }
    }

    /// What the requests are answered with.
    var error: CommandError {
        switch self {
        case .deviceGone(let error): error
        case .privacy: .private
        case .stopping: .stopping
        }
    }
}
