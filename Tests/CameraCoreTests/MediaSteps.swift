import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import Contract

// What the tests of photos, recordings, previews and shutter buttons have in common.

extension CollectingReplyAddress {
    /// All answers but photos, as JSON.
    var replyMessages: [JSONValue] {
        answers.compactMap { if case .reply(let bytes) = $0 { JSONValue(bytes) } else { nil } }
    }

    /// The last answer that isn't a photo, as JSON.
    var lastMessage: JSONValue { replyMessages.last ?? .null }
}

extension CameraBench {
    /// The events of a kind as JSON, in order.
    func eventMessages(_ kind: String) -> [JSONValue] {
        frontEnd.messages.filter { $0.kind == .event }.map(\.json).filter { $0["event"] == .text(kind) }
    }

    /// Takes one photo, and returns its fields from the answer.
    @discardableResult func photo(_ json: String = "{}", sourceLocation: SourceLocation = #_sourceLocation)
        -> JSONValue
    {
        let reply = send(.capture, json)
        var waits = 0
        while !reply.isFinished, waits < 100 {
            advance(by: .milliseconds(10))
            waits += 1
        }
        #expect(reply.statuses == [.accepted, .done], sourceLocation: sourceLocation)
        #expect(reply.lastMessage["photos"].list.count == 1, sourceLocation: sourceLocation)
        return reply.lastMessage["photos"][0]
    }

    /// Starts a recording, and returns the state that has its path.
    @discardableResult func startRecording(
        _ json: String = "ON", sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let reply = send(.recording, json)
        turn()
        #expect(reply.statuses == [.accepted, .done], sourceLocation: sourceLocation)
        #expect(state(.recording)["state"] == "recording", sourceLocation: sourceLocation)
        return state(.recording)
    }

    /// Ends the recording, and returns its fields from the answer.
    @discardableResult func stopRecording(sourceLocation: SourceLocation = #_sourceLocation) -> JSONValue {
        let reply = send(.recording, "OFF")
        turn()
        #expect(reply.statuses == [.accepted, .done], sourceLocation: sourceLocation)
        return reply.lastMessage["recording"]
    }

    /// The time of day that messages have at a time since the bench was made.
    static func timestamp(at time: Duration) -> JSONValue {
        .text(Timestamp.text(epoch.addingTimeInterval(time / .seconds(1))))
    }
}
