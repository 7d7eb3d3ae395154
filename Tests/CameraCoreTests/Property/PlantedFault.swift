import Core
import TestSupport

@testable import Contract

/// A fault that is planted at one of the ways in or out of the camera, to see that the property test detects
/// it.
///
/// `Tests/Mutants/run` plants faults in the core itself.
enum PlantedFault: String, Sendable, CaseIterable {
    case answersTwice, losesAnswers
    case losesAnswersAtTheStop
    case repeatsFrames
    case repeatsARevision
    case misreportsTheLens
    case setsTheModeAnytime
    case forgetsTheNumbers

    /// What it breaks. An answer that is lost is missed at the end of a run, or at the stop.
    var invariants: Set<CoreBreach.Invariant> {
        switch self {
        case .answersTwice: [.answers]
        case .losesAnswers: [.answers, .stop]
        case .losesAnswersAtTheStop: [.stop]
        case .repeatsFrames: [.completions]
        case .repeatsARevision: [.revisions]
        case .misreportsTheLens: [.readBack]
        case .setsTheModeAnytime: [.mode]
        case .forgetsTheNumbers: [.numbers]
        }
    }

    /// The `rev` of a state as the checks see it.
    func revision(_ number: Int) -> Int { self == .repeatsARevision ? number - number % 2 : number }

    /// Where a run begins after a crash, as the checks see it.
    func firstAfterACrash(_ number: Int) -> Int { self == .forgetsTheNumbers ? 0 : number }

    func address(around address: CollectingReplyAddress) -> any ReplyAddress { FaultyAddress(address, self) }
}

/// Passes answers on, with a fault.
private final class FaultyAddress: ReplyAddress {
    private let address: CollectingReplyAddress
    private let plant: PlantedFault

    init(_ address: CollectingReplyAddress, _ plant: PlantedFault) {
        (self.address, self.plant) = (address, plant)
    }

    var acceptsPhotos: Bool { address.acceptsPhotos }

    func send(_ reply: [UInt8]) {
        let isSuperseded = reply.contains(#""status":"superseded""#)
        switch plant {
        case .losesAnswers where isSuperseded: return
        case .losesAnswersAtTheStop where reply.contains("The agent is stopping."): return
        default: address.send(reply)
        }
        if plant == .answersTwice && isSuperseded { address.send(reply) }
    }

    func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {
        address.send(photo: photo, fields, id: id)
    }

    func send(part: [UInt8], _ fields: MediaPartFields, id: String?) {
        address.send(part: part, fields, id: id)
    }
}
