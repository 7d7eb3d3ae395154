import CameraCore
import Messages
import TestSupport

/// A fault that is planted around the camera, to see that the property test detects it.
enum CorePlant: String, Sendable, CaseIterable {
    case duplicatesFinalAnswers, losesAnswers

    var invariant: CoreBreach.Invariant { .answers }

    func address(around address: CollectingReplyAddress) -> any ReplyAddress {
        FaultyAddress(address, self)
    }

    func revision(_ number: Int) -> Int { number }
}

/// Passes answers on, with a fault.
final class FaultyAddress: ReplyAddress {
    private let address: CollectingReplyAddress
    private let plant: CorePlant

    init(_ address: CollectingReplyAddress, _ plant: CorePlant) {
        (self.address, self.plant) = (address, plant)
    }

    var acceptsPhotos: Bool { address.acceptsPhotos }

    func send(_ reply: [UInt8]) {
        if plant == .losesAnswers && reply.contains(#""status":"superseded""#) { return }
        address.send(reply)
        if plant == .duplicatesFinalAnswers && reply.contains(#""status":"superseded""#) {
            address.send(reply)
        }
    }

    func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {
        address.send(photo: photo, fields, id: id)
    }
}
