import Base
import Contract
import Ctl
import Settings

@testable import Bus

/// What `ctl` receives from a bus where any client can publish: whatever the messages are, nothing that is
/// printed has control characters, JSON is one line, and a conversation ends exactly once.
func checkCtl(_ bytes: [UInt8]) {
    let run = Run(bytes)
    converse(run)
    let options = run.options(isJSON: run.isJSON)
    command(run, GroupCommand(run.operation, "stage", options, at: .now))
    command(run, Rollout(Run.plan, options, at: .now))
    for isJSON in [false, true] { watch(run, run.options(isJSON: isJSON)) }
}

/// A connection that the broker has accepted.
private let session = BusSession(host: BrokerAddress("broker", port: 1883))

// MARK: Conversation

private func converse(_ run: Run) {
    let options = run.options(isJSON: run.isJSON)
    var now = ContinuousClock.now
    var conversation = Conversation(run.operation, options, at: now)
    var actions: [Conversation.Action] = []
    /// The photos that a message with the right correlation data has brought.
    var photos: [[UInt8]] = []

    func handle(_ input: BusInput) { actions += conversation.handle(input, at: now) }
    func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = conversation.deadline, deadline <= end {
            now = max(now, deadline)
            let before = actions.count
            handle(.deadline)
            expect(
                conversation.deadline.map { $0 > deadline } ?? true || actions.count > before,
                "a deadline that passed leads to nothing")
        }
        now = end
    }

    for event in run.events {
        switch event {
        case .connected: handle(.connection(.connected(session)))
        case .subscribed: handle(.connection(.subscribed))
        case .lost(let reason): handle(.connection(.disconnected(reason: reason, retryIn: .seconds(1))))
        case .interrupted: actions += conversation.interrupt(at: now)
        case .wait(let duration): wait(duration)
        case .message(let message):
            if message.topic == options.responseTopic, message.correlation != nil {
                photos.append(message.payload)
            }
            handle(.message(message))
        }
        while case .copy(let step) = actions.last {
            let result: CopyResult =
                switch step {
                case .open, .restart: .opened(bytes: 0)
                case .append: .appended
                case .finish: .complete
                }
            actions += conversation.copied(result, at: now)
        }
    }
    check(actions, photos, isJSON: run.isJSON)
}

private func check(_ actions: [Conversation.Action], _ photos: [[UInt8]], isJSON: Bool) {
    for (place, action) in actions.enumerated() {
        switch action {
        case .printLine(let line): check(line, isJSON: isJSON)
        case .printError(let line): check(line, isJSON: false)
        case .printPhoto(let photo), .writePhoto(let photo, _):
            expect(photos.contains(photo), "a photo is not the answer to the own request")
        case .copy(.append(let bytes)):
            expect(
                (1...MediaSet.longestPart).contains(bytes.count) && photos.contains(bytes),
                "a part is not the answer to the own request")
        case .copy(.open(let path, _, _)):
            let name = path.dropFirst("photos/porch-door-".count)
            expect(
                path.hasPrefix("photos/porch-door-") && !name.utf8.contains(UInt8(ascii: "/")),
                "a path outside of the folder")
        case .copy: break
        case .publish(let topic, let payload, let id, let isRetained):
            expect(isForCommands(topic) && !isRetained, "a topic: \(topic)")
            expect(JSON.isObject(payload) && (id?.utf8.count ?? 65) <= 64, "a request that is none")
        case .save: expect(false, "a conversation has no state file")
        case .exit: expect(place == actions.count - 1, "something follows the end")
        }
    }
}

private func isForCommands(_ topic: String) -> Bool {
    (topic.hasSuffix("/set") || topic.hasSuffix("/set/ctl"))
        && !topic.utf8.contains { "+#".utf8.contains($0) }
}

// MARK: Groups

private func command(_ run: Run, _ machine: some CtlMachine) {
    var now = ContinuousClock.now
    var machine = machine
    var actions: [CtlAction] = []

    func handle(_ input: BusInput) {
        let due = machine.handle(input, at: now)
        for case .save(let bytes) in due { expect(JSON.isObject(bytes), "a state file that is none") }
        actions += due
    }

    for event in run.events {
        switch event {
        case .connected: handle(.connection(.connected(session)))
        case .subscribed: handle(.connection(.subscribed))
        case .lost(let reason): handle(.connection(.disconnected(reason: reason, retryIn: .seconds(1))))
        case .interrupted: handle(.drained)
        case .wait(let duration):
            let end = now + duration
            // Each deadline that passes is followed by a later one, or by none.
            for _ in 0..<1_000 {
                guard let deadline = machine.deadline, deadline <= end else { break }
                now = max(now, deadline)
                handle(.deadline)
            }
            expect(machine.deadline.map { $0 > end } ?? true, "deadlines without end")
            now = end
        case .message(let message): handle(.message(message))
        }
    }
    for (place, action) in actions.enumerated() {
        switch action {
        case .printLine(let line): check(line, isJSON: run.isJSON)
        case .printError(let line): check(line, isJSON: false)
        case .publish(let topic, let payload, let id, _):
            expect(isForCommands(topic) && id == nil, "a topic: \(topic)")
            expect(JSON.isObject(payload), "a command that is none")
        case .printPhoto, .writePhoto, .copy: expect(false, "a group sends no photo")
        case .save: break
        case .exit: expect(place == actions.count - 1, "something follows the end")
        }
    }
}

// MARK: Tables and lines

private func watch(_ run: Run, _ options: CtlOptions) {
    var now = ContinuousClock.now
    var observation = FleetObservation(options, at: now)
    var lines = WatchLines(options)
    for event in run.events {
        let actions: [FleetObservation.Action]
        switch event {
        case .connected: actions = observation.handle(.connection(.connected(session)), at: now)
        case .subscribed: actions = observation.handle(.connection(.subscribed), at: now)
        case .lost(let reason):
            actions = observation.handle(
                .connection(.disconnected(reason: reason, retryIn: .seconds(1))), at: now)
        case .interrupted: continue
        case .wait(let duration):
            now += duration
            actions = observation.handle(.deadline, at: now)
        case .message(let message): actions = observation.handle(.message(message), at: now)
        }
        for case .received(let message) in actions {
            if let line = lines.line(for: message, observation.fleet) { check(line, isJSON: options.json) }
        }
    }
    do throws(CommandError) {
        for line in try FleetTable(observation.fleet, options).lines { check(line, isJSON: options.json) }
    } catch {
        check(PrintableLine(error.message), isJSON: false)
    }
    for (columns, rows) in [(80, 24), (20, 3)] {
        let page = FleetView().lines(observation.fleet, columns: columns, rows: rows, now: Timestamp.now)
        expect(page.count == rows, "a page of \(page.count) lines")
        for line in page { checkPrintable(line.text(columns: columns, hasColours: false)) }
    }
}

private func check(_ line: PrintableLine, isJSON: Bool) {
    checkPrintable(line.text)
    guard isJSON else { return }
    let bytes = Array("{\"line\":\(line.text)}".utf8)
    expect(JSON.isObject(bytes), "no JSON: \(line.text)")
}

private func checkPrintable(_ text: String) {
    expect(text.unicodeScalars.allSatisfy(\.isPrintable), "control characters in \(text.debugDescription)")
}
