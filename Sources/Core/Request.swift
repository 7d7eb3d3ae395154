package import Contract
internal import ZoomModel

/// A command to one camera, with its sender and the address for its answers.
///
/// It owns its final answer: the first one closes it, and later ones do nothing.
package final class Request {
    /// What ends a request before its time, beside the end of the agent.
    struct Needs: OptionSet {
        let rawValue: UInt8

        /// It ends when the device is gone.
        static let device = Needs(rawValue: 1)
        /// It ends when the camera becomes private.
        static let pictures = Needs(rawValue: 2)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Before a node knows more.
        init(_ policy: CommandPolicy) { self = policy.needsDevice ? [.device, .pictures] : [] }
    }

    let camera: String
    let node: Node
    /// The group on whose topic the command came; nil: it came on the camera's own.
    let group: String?
    /// The sender's names, and the conditions of the command.
    let envelope: Envelope
    /// Nil: the message can't be read as a command.
    let command: (any CommandForm)?
    let policy: CommandPolicy
    /// Its rank when places are short.
    let standing: ClientStanding
    /// Nil: another request of the same message is answered.
    private let address: (any ReplyAddress)?
    /// As the policy says, until the node that has it knows more.
    var needs: Needs
    private(set) var isOpen = true
    /// It is answered only if it fails.
    var isQuiet = false
    /// When the command was to be carried out, for one that waited for its time; nil: at once.
    var modelTime: ZoomInstant?
    var time: ContinuousClock.Instant? {
        // The compiler knows the size of a `ZoomInstant`; that of this type is known at run time only.
        modelTime.map { ContinuousClock.Instant($0) }
    }
    /// The request was admitted and its id recorded: when it is refused after all, it may be sent again.
    var isRecorded = false

    /// Whom shares, quotas and records count the request for. Clients without a name count as one.
    var client: ClientIdentity? { envelope.client }

    /// The sender as an owner of places.
    var owner: FairShare.Owner { FairShare.Owner(client, standing) }

    /// - Parameter standing: nil: by the name of the client.
    package init(
        camera: String, node: Node, group: String? = nil, envelope: Envelope,
        command: (any CommandForm)?,
        address: (any ReplyAddress)?, standing: ClientStanding? = nil
    ) {
        (self.camera, self.node, self.group) = (camera, node, group)
        (self.envelope, self.command, self.address) = (envelope, command, address)
        policy = command?.policy ?? CommandPolicy()
        self.standing = standing ?? (envelope.client?.isProved == true ? .proved : .unproved)
        needs = Needs(policy)
    }

    /// Another command of the same message, without answers.
    func earlier(_ command: any CommandForm) -> Request {
        let request = Request(
            camera: camera, node: node, group: group, envelope: envelope, command: command,
            address: nil, standing: standing)
        (request.modelTime, request.isRecorded) = (modelTime, isRecorded)
        return request
    }

    /// The source of the changes that this request causes.
    func origin(_ kind: Origin.Kind) -> Origin {
        Origin(client: envelope.client, id: envelope.id, kind: kind)
    }

    // MARK: Answers

    /// Whether the answer can be a photo or a part of a file.
    var acceptsPhotos: Bool { address?.acceptsPhotos == true }

    /// Whether an answer with this status is to be sent. A final one closes the request.
    func admits(_ status: Reply.Status) -> Bool {
        guard isOpen else { return false }
        isOpen = status == .accepted
        return !isQuiet || status == .error
    }

    /// Sends an answer that was admitted.
    func send(_ reply: [UInt8]) { address?.send(reply) }

    /// Answers with a photo.
    ///
    /// - Parameter isLast: it is the final answer.
    func answer(photo: [UInt8], _ fields: PhotoFields, isLast: Bool) {
        isOpen = !isLast
        address?.send(photo: photo, fields, id: envelope.id)
    }

    /// Gives the final answer, a part of a file.
    func answer(part: [UInt8], _ fields: MediaPartFields) {
        isOpen = false
        address?.send(part: part, fields, id: envelope.id)
    }
}
