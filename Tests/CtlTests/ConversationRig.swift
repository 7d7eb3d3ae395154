import Base
import Ctl

@testable import Bus
@testable import Contract

/// What happens to a conversation from outside.
enum ConversationEvent: Sendable {
    case connected, subscribed, refused, lost
    /// The broker refuses a message on this topic.
    case notAuthorized(String)
    case message(BusMessage)
    case interrupt
    case copied(CopyResult)
    case wait(Duration)

    /// The broker answers with one online agent that has one camera.
    static let ready: [ConversationEvent] = [
        .connected, .subscribed, .message(agentInfo("porch", cameras: "door")),
        .message(availability("porch", .online, boot: 7)), .wait(.milliseconds(300)),
    ]
}

/// Drives a conversation as ``BusObserver`` does, in virtual time.
struct ConversationRig {
    private(set) var conversation: Conversation
    private(set) var actions: [Conversation.Action] = []
    private var now = start

    private static let start = ContinuousClock.now

    init(_ operation: CtlOperation, _ options: CtlOptions) {
        conversation = Conversation(operation, options, at: now)
    }

    mutating func run(_ events: [ConversationEvent], twice: Bool = false) {
        for event in events {
            run(event)
            if twice, case .message = event { run(event) }
        }
    }

    private mutating func run(_ event: ConversationEvent) {
        switch event {
        case .connected: handle(.connection(.connected(session)))
        case .subscribed: handle(.connection(.subscribed))
        case .refused: handle(.connection(.subscriptionRefused(filter: "a/#")))
        case .lost: handle(.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1))))
        case .notAuthorized(let topic): handle(.refused(topic: topic, reason: "Not authorized"))
        case .message(let message): handle(.message(message))
        case .interrupt: actions += conversation.interrupt(at: now)
        case .copied(let result): actions += conversation.copied(result, at: now)
        case .wait(let duration): wait(duration)
        }
    }

    /// Lets each deadline pass in its turn.
    private mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = conversation.deadline, deadline <= end {
            now = max(now, deadline)
            handle(.deadline)
        }
        now = end
    }

    private mutating func handle(_ input: BusInput) { actions += conversation.handle(input, at: now) }

    var exitCodes: [Int32] {
        actions.compactMap { if case .exit(let code) = $0 { code } else { nil } }
    }

    var lines: [String] {
        actions.compactMap { if case .printLine(let line) = $0 { line.text } else { nil } }
    }

    var errors: [String] {
        actions.compactMap { if case .printError(let line) = $0 { line.text } else { nil } }
    }

    /// The requests: their topics and payloads.
    var requests: [(topic: String, payload: String)] {
        actions.compactMap {
            guard case .publish(let topic, let payload, _, _) = $0 else { return nil }
            return (topic, String(decoding: payload, as: UTF8.self))
        }
    }
}
