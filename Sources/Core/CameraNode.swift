internal import Contract
internal import ZoomModel

/// A part of a camera with a state of its own, commands of its own, or both.
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

    /// Writes the node's part of the saved state.
    func save(to state: inout SavedCamera) {}

    /// Notes that the disk has the numbers that this state reserves.
    func numbersReserved(in state: SavedCamera) {}
}

/// What most nodes use.
struct NodeBase {
    let context: CameraContext
    let device: Device
    let lease: LeaseNode
    let zoom: ZoomNode
    let controls: ControlsNode
    let media: MediaServices
}

/// A node that uses it.
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

/// A node whose state is that of one channel.
class StateNode<State: NodeState>: BasedNode {
    private(set) lazy var publication = Publication<State>(context, State.channel)

    /// As it is now; nil is `null`.
    var state: State? { nil }

    /// The source of its last change, if it tells that.
    var origin: Origin? { nil }

    override func publish() { publication.publish(state, from: origin) }

    /// Publishes the state if it has changed.
    func update() { publication.update(state, from: origin) }
}

/// The whole state of a node.
protocol NodeState: Encodable, Equatable {
    static var channel: Channel { get }
}

extension CaptureState: NodeState { static var channel: Channel { .node(.capture) } }
extension DesiredState: NodeState { static var channel: Channel { .node(.desired) } }
extension PresetsState: NodeState { static var channel: Channel { .node(.presets) } }
extension PreviewState: NodeState { static var channel: Channel { .node(.preview) } }
extension PrivacyState: NodeState { static var channel: Channel { .node(.privacy) } }
extension RecordingState: NodeState { static var channel: Channel { .node(.recording) } }

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
