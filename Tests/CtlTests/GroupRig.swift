import Base
import Ctl
import CtlScript
import FoundationEssentials
import Settings

@testable import Bus
@testable import Contract

/// A run with a group, in virtual time. With each event that is added, it runs again.
struct GroupRig {
    private let run: (any Surroundings) -> Int32
    private let start = ContinuousClock.now
    private var events: [CtlScript.Event] = []
    private(set) var actions: [CtlScript.Action] = []

    init(_ run: @escaping (any Surroundings) -> Int32) { self.run = run }

    /// One command to the cameras of a group.
    init(_ operation: CtlOperation, _ options: CtlOptions = options()) {
        var options = options
        options.group = "stage"
        self.init { CtlSession.run(operation, options, $0) }
    }

    mutating func handle(_ inputs: BusInput...) { add(inputs.map { .input($0) }) }

    mutating func receive(_ messages: BusMessage...) { add(messages.map { .input(.message($0)) }) }

    /// The broker accepts the connection, and sends what it retains. The run may wait a second for cameras of
    /// which the broker has nothing.
    mutating func connect(_ retained: [BusMessage], waiting: Duration = .milliseconds(1300)) {
        let connection: [BusInput] = [.connection(.connected(session)), .connection(.subscribed)]
        add((connection + retained.map { .message($0) }).map { .input($0) } + [.wait(waiting)])
    }

    mutating func disconnect() {
        handle(.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1))))
    }

    /// Lets each deadline pass in its turn.
    mutating func wait(_ duration: Duration) { add([.wait(duration)]) }

    mutating func interrupt() { handle(.interrupt) }

    private mutating func add(_ events: [CtlScript.Event]) {
        self.events += events
        let script = CtlScript(self.events, at: start)
        script.play(run)
        actions = script.actions
    }

    /// The commands that were published: their topics and payloads.
    var published: [(topic: String, payload: String, isRetained: Bool)] {
        actions.published.filter { !$0.topic.contains("/refresh/set") }
            .map { ($0.topic, String(decoding: $0.payload, as: UTF8.self), $0.isRetained) }
    }

    /// The topics of the requests for retained messages.
    var asked: [String] { actions.published.map(\.topic).filter { $0.contains("/refresh/set") } }

    var lines: [String] { actions.lines }
    var errors: [String] { actions.errors }
    var exitCodes: [Int32] { actions.exitCodes }
}

/// The lines about an agent, `zombie`, that is online, and of which nothing else has come.
let zombieNotes = [
    "Retained messages of zombie have not come: cameras may be left out.",
    "Incomplete: not all retained messages of 1 agent have come. The broker may drop what it can't send at once.",
]

/// What a broker retains of an agent with one camera, `door`, that belongs to a group.
func member(
    _ agent: String, of groups: [String]? = ["stage"], _ state: Availability.State = .online,
    clients: ClientMode? = nil, controls: [CameraInfo.ControlDescriptor] = [],
    desired: Stamped<DesiredState>? = nil
) -> [BusMessage] {
    var info = cameraInfo(controls)
    info.groups = groups
    var messages = [
        agentInfo(agent, cameras: "door", clients: clients), availability(agent, state, boot: 1),
        message("\(agent)/door/info", JSON.bytes(info)), availability("\(agent)/door", .online),
    ]
    if let desired { messages.append(message("\(agent)/door/desired", JSON.bytes(desired))) }
    return messages
}

/// The answer of the camera of an agent to a request to its group for retained messages.
func refreshAnswer(of agent: String) -> BusMessage { answer(of: agent, "refresh", id: "ctl-test-refresh") }

/// The answer of the camera of an agent, on its own topic.
func answer(
    of agent: String, _ node: String, id: String, _ status: Reply.Status = .done,
    error: CommandError? = nil, _ change: (inout Reply) -> Void = { _ in }
) -> BusMessage {
    var reply = Reply(status, boot: 1, ts: timestamp)
    (reply.id, reply.error, reply.camera, reply.node) = (id, error, "door", node)
    change(&reply)
    return message("\(agent)/door/\(node)/reply", JSON.bytes(reply))
}
