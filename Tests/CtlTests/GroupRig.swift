import Base
import Ctl
import FoundationEssentials
import Settings

@testable import Bus
@testable import Contract

/// Drives a machine for a group as ``CtlRunner`` does, in virtual time. The state file is in memory.
struct GroupRig<Machine: CtlMachine> {
    private(set) var machine: Machine
    private(set) var actions: [CtlAction] = []
    private(set) var now = ContinuousClock.now
    /// The bytes of the state file.
    private(set) var saved: [UInt8]?
    /// Why the state can't be stored: then nothing that follows is done.
    var failure: CommandError?

    init(_ make: (ContinuousClock.Instant) -> Machine) { machine = make(now) }

    mutating func handle(_ input: BusInput) { perform(machine.handle(input, at: now)) }

    mutating func receive(_ messages: BusMessage...) {
        for message in messages { handle(.message(message)) }
    }

    /// The broker accepts the connection, and sends what it retains. The machine may wait a second for
    /// cameras of which the broker has nothing.
    mutating func connect(_ retained: [BusMessage], waiting: Duration = .milliseconds(1300)) {
        handle(.connection(.connected(session)))
        handle(.connection(.subscribed))
        for message in retained { handle(.message(message)) }
        wait(waiting)
    }

    mutating func disconnect() {
        handle(.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1))))
    }

    /// Lets each deadline pass in its turn.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = machine.deadline, deadline <= end {
            now = max(now, deadline)
            handle(.deadline)
        }
        now = end
    }

    mutating func interrupt() { perform(machine.interrupt(at: now)) }

    private mutating func perform(_ due: [CtlAction]) {
        for action in due {
            actions.append(action)
            guard case .save(let bytes) = action else { continue }
            if let failure { return actions += failure.ending(options()) }
            saved = bytes
        }
    }

    /// The commands that were published: their topics and payloads.
    var published: [(topic: String, payload: String, isRetained: Bool)] {
        messages.filter { !$0.topic.contains("/refresh/set") }
    }

    /// The topics of the requests for retained messages.
    var asked: [String] { messages.map(\.topic).filter { $0.contains("/refresh/set") } }

    private var messages: [(topic: String, payload: String, isRetained: Bool)] {
        actions.compactMap {
            guard case .publish(let topic, let payload, _, let isRetained) = $0 else { return nil }
            return (topic, String(decoding: payload, as: UTF8.self), isRetained)
        }
    }

    var lines: [String] {
        actions.compactMap { if case .printLine(let line) = $0 { line.text } else { nil } }
    }

    var errors: [String] {
        actions.compactMap { if case .printError(let line) = $0 { line.text } else { nil } }
    }

    var exitCodes: [Int32] {
        actions.compactMap { if case .exit(let code) = $0 { code } else { nil } }
    }
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
