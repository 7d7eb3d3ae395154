package import Contract
import ZoomModel

/// A command to one camera, with its sender and the address for its answers.
package struct Request {
    let camera: String
    let node: Node
    /// The group on whose topic the command came; nil: it came on the camera's own.
    let group: String?
    /// The sender's names, and the conditions of the command.
    let envelope: Envelope
    /// How the sender stands where clients make room for each other.
    let standing: ClientStanding
    private(set) var address: any ReplyAddress
    /// When the command was to be carried out, for one that waited for its time; nil: at once.
    var time: ContinuousClock.Instant?
    /// The request was admitted and its id recorded: when it is refused after all, it may be sent again.
    var isRecorded = false
    /// What it changes is part of the saved state: its answer reports if that can't be stored.
    var savesState = false

    /// Whom shares, quotas and records count the request for. Clients without a name count as one.
    var client: ClientIdentity? { envelope.client }

    /// The sender as an owner of places.
    var owner: FairShare.Owner { FairShare.Owner(client, standing) }

    /// - Parameter standing: nil: by the name of the client.
    package init(
        camera: String, node: Node, group: String? = nil, envelope: Envelope, address: any ReplyAddress,
        standing: ClientStanding? = nil
    ) {
        (self.camera, self.node, self.group) = (camera, node, group)
        (self.envelope, self.address) = (envelope, address)
        self.standing = standing ?? (envelope.client?.isProved == true ? .proved : .unproved)
    }

    /// The same request without answers: another one of the same message is answered.
    var unanswered: Request {
        var request = self
        request.address = DiscardingReplyAddress()
        return request
    }

    /// The source of the changes that this request causes.
    func origin(_ kind: Origin.Kind) -> Origin {
        Origin(client: envelope.client, id: envelope.id, kind: kind)
    }
}

/// Discards answers.
private final class DiscardingReplyAddress: ReplyAddress {
    let acceptsPhotos = false
    func send(_ reply: [UInt8]) {}
    func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {}
    func send(part: [UInt8], _ fields: MediaPartFields, id: String?) {}
}
