import Base
import Ctl
import CtlScript

@testable import Bus
@testable import Contract

/// What happens to a run from outside.
enum ConversationEvent: Sendable {
    case connected, subscribed, refused, lost
    /// The broker refuses a message on this topic.
    case notAuthorized(String)
    case message(BusMessage)
    case interrupt
    case copied(CtlScript.CopyResult)
    case wait(Duration)

    /// The broker answers with one online agent that has one camera.
    static let ready: [ConversationEvent] = [
        .connected, .subscribed, .message(agentInfo("porch", cameras: "door")),
        .message(availability("porch", .online, boot: 7)), .wait(.milliseconds(300)),
    ]

    fileprivate var event: CtlScript.Event {
        switch self {
        case .connected: .input(.connection(.connected(session)))
        case .subscribed: .input(.connection(.subscribed))
        case .refused: .input(.connection(.subscriptionRefused(filter: "a/#")))
        case .lost:
            .input(.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1))))
        case .notAuthorized(let topic): .input(.refused(topic: topic, reason: "Not authorized"))
        case .message(let message): .input(.message(message))
        case .interrupt: .input(.interrupt)
        case .copied(let result): .copy(result)
        case .wait(let duration): .wait(duration)
        }
    }
}

/// A run with one camera, in virtual time. With each event that is added, it runs again.
struct ConversationRig {
    private let operation: CtlOperation
    private let options: CtlOptions
    private var events: [CtlScript.Event] = []
    private(set) var actions: [CtlScript.Action] = []

    private static let start = ContinuousClock.now

    init(_ operation: CtlOperation, _ options: CtlOptions) {
        (self.operation, self.options) = (operation, options)
    }

    mutating func run(_ events: [ConversationEvent], twice: Bool = false) {
        for event in events {
            self.events.append(event.event)
            if twice, case .message = event { self.events.append(event.event) }
        }
        let script = CtlScript(self.events, at: Self.start)
        script.play { CtlSession.run(operation, options, $0) }
        actions = script.actions
    }

    /// The requests: their topics and payloads.
    var requests: [(topic: String, payload: String)] {
        actions.published.map { ($0.topic, String(decoding: $0.payload, as: UTF8.self)) }
    }

    var exitCodes: [Int32] { actions.exitCodes }
    var lines: [String] { actions.lines }
    var errors: [String] { actions.errors }
}

extension [CtlScript.Action] {
    var published: [SentMessage] {
        compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }
    var lines: [String] { compactMap { if case .printLine(let line) = $0 { line } else { nil } } }
    var errors: [String] { compactMap { if case .printError(let line) = $0 { line } else { nil } } }
    var exitCodes: [Int32] { compactMap { if case .exit(let code) = $0 { code } else { nil } } }
}
