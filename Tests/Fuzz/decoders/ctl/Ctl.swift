import Base
import Contract
import Ctl
import CtlScript
import Fleet
import Settings

@testable import Bus

/// What `ctl` receives from a bus where any client can publish: whatever the messages are, nothing that is
/// printed has control characters, JSON is one line, and nothing is published but commands.
func checkCtl(_ bytes: [UInt8]) {
    let run = Run(bytes)
    var options = run.options(isJSON: run.isJSON)
    play(run, options) { CtlSession.run(run.operation, options, $0) }
    options.group = "stage"
    play(run, options) { [options] in CtlSession.run(run.operation, options, $0) }
    play(run, options) { [options] in Rollout.run(Run.plan, options, $0) }
    play(run, options) { [options] in CtlSession.list(options, $0) }
    for isJSON in [false, true] { watch(run, run.options(isJSON: isJSON)) }
}

/// A connection that the broker has accepted.
private let session = BusSession(host: BrokerAddress("broker", port: 1883))

// MARK: Operations

private func play(_ run: Run, _ options: CtlOptions, _ body: (any Surroundings) -> Int32) {
    /// The bytes that a message with the right correlation data has brought.
    var photos: [[UInt8]] = []
    var events: [CtlScript.Event] = []
    for event in run.events {
        switch event {
        case .connected: events.append(.input(.connection(.connected(session))))
        case .subscribed: events.append(.input(.connection(.subscribed)))
        case .lost(let reason):
            events.append(.input(.connection(.disconnected(reason: reason, retryIn: .seconds(1)))))
        case .interrupted: events += [.input(.interrupt), .input(.drained)]
        case .wait(let duration): events.append(.wait(duration))
        case .message(let message):
            if message.topic == options.topics.responseTopic, message.correlation != nil {
                photos.append(message.payload)
            }
            events.append(.input(.message(message)))
        }
    }
    let script = CtlScript(events, at: .now)
    script.play(body)
    for (place, action) in script.actions.enumerated() {
        switch action {
        case .printLine(let line): check(line, isJSON: run.isJSON)
        case .printError(let line): check(line, isJSON: false)
        case .printPhoto(let photo), .writePhoto(let photo, _):
            expect(photos.contains(photo), "a photo is not the answer to the own request")
        case .copy(.append(let bytes)):
            expect(
                (1...MediaSet.longestPart).contains(bytes.count) && photos.contains(bytes),
                "a part is not the answer to the own request")
        case .copy(.open(let path, _, _)):
            let name = path.dropFirst("photos/".count)
            expect(
                path.hasPrefix("photos/") && !name.utf8.contains(UInt8(ascii: "/")),
                "a path outside of the folder")
        case .copy: break
        case .publish(let message):
            expect(isForCommands(message.topic), "a topic: \(message.topic)")
            expect(
                JSON.isObject(message.payload) && message.correlation?.utf8.count ?? 0 <= 64,
                "a request that is none")
        case .exit: expect(place == script.actions.count - 1, "something follows the end")
        }
    }
}

private func isForCommands(_ topic: String) -> Bool {
    (topic.hasSuffix("/set") || topic.hasSuffix("/set/ctl"))
        && !topic.utf8.contains { "+#".utf8.contains($0) }
}

// MARK: Tables and lines

private func watch(_ run: Run, _ options: CtlOptions) {
    let now = ContinuousClock.now
    var lines = WatchLines(options)
    var needs = lines.needs
    needs.live += ["zoom/live", "event"].filter { !needs.live.contains($0) }
    var fleet = CtlFleet(base: options.baseTopic, needs, .person)
    for case .message(let message) in run.events {
        _ = fleet.take(message.topic, message.payload, at: now)
        if let line = lines.line(for: message, fleet) { check(line.text, isJSON: options.json) }
    }
    for line in FleetTable(fleet, fleet.addresses, options).lines { check(line.text, isJSON: options.json) }
    for (columns, rows) in [(80, 24), (20, 3)] {
        let page = FleetView().lines(fleet, fleet.addresses, rows: rows, now: Timestamp.now)
        expect(page.count == rows, "a page of \(page.count) lines")
        for line in page { checkPrintable(line.text(columns: columns, hasColours: false)) }
    }
}

private func check(_ line: String, isJSON: Bool) {
    checkPrintable(line)
    guard isJSON else { return }
    let bytes = Array("{\"line\":\(line)}".utf8)
    expect(JSON.isObject(bytes), "no JSON: \(line)")
}

private func checkPrintable(_ text: String) {
    expect(text.unicodeScalars.allSatisfy(\.isPrintable), "control characters in \(text.debugDescription)")
}
