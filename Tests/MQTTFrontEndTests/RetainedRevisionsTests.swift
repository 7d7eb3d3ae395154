import MQTTBus
import MQTTFrontEnd
import Messages
import TestSupport
import Testing

/// What a run without a state reads at the broker.
struct RetainedRevisionsTests {
    private final class Reader {
        private let time = VirtualTime()
        private(set) var revisions: RetainedRevisions?
        private(set) var found: [String] = []
        private(set) var outcomes: [RetainedRevisions.Outcome] = []
        private(set) var unsubscribed: [BusFilter] = []
        private var awaitingAnswer: [() -> Void] = []

        init() {
            revisions = RetainedRevisions(
                Topics(base: "v4l2mqtt", agent: "porch"), cameras: ["door", "hall"], on: time.loop,
                unsubscribe: { [weak self] in self?.unsubscribed += $0 },
                askForAnswer: { [weak self] in self?.awaitingAnswer.append($0) },
                found: { [weak self] in self?.found.append("\($0) \($1)") },
                then: { [weak self] in self?.outcomes.append($0) })
        }

        /// The broker answers the request after the subscriptions.
        func answer() {
            for then in awaitingAnswer { then() }
            awaitingAnswer = []
        }

        func advance(by duration: Duration) { time.advance(by: duration) }

        @discardableResult
        func deliver(_ topic: String, _ payload: String, isRetained: Bool = true) -> Bool {
            revisions?.received(
                BusMessage(
                    topic: topic, payload: [UInt8](payload.utf8), qos: .atLeastOnce, isRetained: isRetained))
                ?? false
        }
    }

    @Test func theRevisionsOfRetainedStatesAreFound() {
        let reader = Reader()
        #expect(reader.deliver("v4l2mqtt/porch/door/zoom", #"{"rev":41,"factor":2}"#))
        #expect(reader.deliver("v4l2mqtt/porch/hall/controls", #"{"rev":9006099743113216}"#))
        reader.revisions?.subscribed()
        reader.answer()
        #expect(reader.found == ["door 41", "hall 9006099743113216"] && reader.outcomes == [.read])
    }

    /// As ejabberd does it.
    @Test func statesMayFollowTheConfirmationOfTheSubscriptions() {
        let reader = Reader()
        reader.revisions?.subscribed()
        #expect(reader.outcomes.isEmpty)
        reader.deliver("v4l2mqtt/porch/door/zoom", #"{"rev":41,"factor":2}"#)
        reader.answer()
        #expect(reader.found == ["door 41"] && reader.outcomes == [.read])
    }

    @Test(arguments: [
        "null", "", "{", "[]", #"{"rev":"9"}"#, #"{"rev":1.5}"#, #"{"rev":1e300}"#,
        #"{"rev":9006099743113217}"#,
    ])
    func otherPayloadsAreNone(payload: String) {
        let reader = Reader()
        #expect(reader.deliver("v4l2mqtt/porch/door/zoom", payload) && reader.found.isEmpty)
    }

    @Test func messagesOfOthersAndNewOnesAreForOtherListeners() {
        let reader = Reader()
        #expect(!reader.deliver("v4l2mqtt/porch/door/zoom", #"{"rev":41}"#, isRetained: false))
        #expect(!reader.deliver("v4l2mqtt/porch/gone/zoom", #"{"rev":41}"#))
        #expect(!reader.deliver("v4l2mqtt/porch/door/zoom/set", #"{"rev":41}"#))
        #expect(reader.found.isEmpty)
    }

    @Test func statesThatArriveLateAreFoundForAWhile() {
        let reader = Reader()
        reader.revisions?.subscribed()
        reader.answer()
        reader.advance(by: .milliseconds(1900))
        reader.deliver("v4l2mqtt/porch/door/zoom", #"{"rev":41}"#)
        #expect(reader.found == ["door 41"] && reader.unsubscribed.isEmpty)
        reader.advance(by: .milliseconds(200))
        #expect(!reader.deliver("v4l2mqtt/porch/door/zoom", #"{"rev":42}"#))
        let filters = RetainedRevisions.filters(Topics(base: "v4l2mqtt", agent: "porch"))
        #expect(reader.found == ["door 41"] && reader.unsubscribed == filters)
    }

    @Test(arguments: ["disconnected", "late", "unanswered", "refused"])
    func withoutAnAnswerTheRevisionsAreUnknown(cause: String) {
        let reader = Reader()
        switch cause {
        case "disconnected": reader.revisions?.disconnected()
        case "late": reader.advance(by: .milliseconds(1100))
        case "unanswered":
            reader.revisions?.subscribed()
            reader.advance(by: .milliseconds(1100))
        default:
            reader.revisions?.subscriptionRefused("v4l2mqtt/other/+/zoom")
            #expect(reader.outcomes.isEmpty)
            reader.revisions?.subscriptionRefused("v4l2mqtt/porch/+/zoom")
        }
        reader.revisions?.subscribed()
        reader.answer()
        #expect(reader.outcomes == [.unknown])
    }
}
