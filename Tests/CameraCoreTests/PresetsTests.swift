import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// `presets`: views that are kept under names, beside `Tests/Scenarios/presets.scenario`.
struct PresetsTests {
    let bench = CameraBench()

    init() { bench.attach(simulated: .init(opticalMaximum: 2, width: 320, height: 180)) }

    private var presets: JSONValue { bench.state(.presets)["presets"] }
    private var current: JSONValue { bench.state(.presets)["current"] }

    /// Zooms with a point of the widest field in the middle of the view.
    private func look(at factor: Double, _ x: Double = 0.5, _ y: Double = 0.5, of bench: CameraBench? = nil) {
        let bench = bench ?? self.bench
        bench.outcome(of: .zoom, "{\"factor\": \(factor)}")
        let center = middle(of: bench.state(.zoom))
        let (dx, dy) = ((x - center.x) * factor, (y - center.y) * factor)
        bench.outcome(of: .viewport, "{\"by\": {\"dx\": \(dx), \"dy\": \(dy)}}")
    }

    private func isShowing(_ factor: Double, _ x: Double, _ y: Double, of bench: CameraBench? = nil) -> Bool {
        let zoom = (bench ?? self.bench).state(.zoom)
        let center = middle(of: zoom)
        return isNear(zoom["factor"].number, factor) && isNear(center.x, x) && isNear(center.y, y)
    }

    @Test func anUnknownOneIsRefusedWithTheKnownOnes() {
        for name in ["gate", "door"] { bench.outcome(of: .presets, "{\"save\": \"\(name)\"}") }
        let message = bench.outcome(of: .presets, #"{"go": "nosuch"}"#).error?.message ?? ""
        #expect(message.contains("home, door, gate") && message.contains("nosuch"))
    }

    @Test(arguments: [
        (1.0, [3.0, 0.3, 0.4], [8.0, 0.8, 0.7], true), (1, [8, 0.9, 0.1], [4, 0.3, 0.3], true),
        (1, [1, 0.5, 0.5], [8, 0.93, 0.2], false), (2, [3, 0.45, 0.5], [8, 0.65, 0.6], true),
        (8, [2, 0.5, 0.5], [8, 0.5, 0.5], true),
    ])
    func atARateTheWayIsStraight(opticalMax: Double, begin: [Double], end: [Double], isLine: Bool) {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: opticalMax, width: 320, height: 180))
        look(at: end[0], end[1], end[2], of: bench)
        bench.outcome(of: .presets, #"{"save": "far"}"#)
        look(at: begin[0], begin[1], begin[2], of: bench)
        bench.frontEnd.removeAll()
        let reply = bench.outcome(of: .presets, #"{"go": "far", "rate": 4}"#)
        #expect(reply.statuses == [.accepted, .done])
        #expect(isShowing(end[0], end[1], end[2], of: bench))
        let samples = bench.frontEnd.samples(on: .zoomSample).map(\.json)
        #expect(samples.count > 6)
        var last = begin
        for sample in samples {
            let center = middle(of: sample)
            let now = [sample["factor"].number ?? 0, center.x, center.y]
            for (index, value) in now.enumerated() {
                #expect((value - last[index]) * (end[index] - begin[index]) >= -1e-3)
            }
            last = now
            let (across, down) = (end[1] - begin[1], end[2] - begin[2])
            let distance = (center.y - begin[2]) * across - (center.x - begin[1]) * down
            if isLine { #expect(abs(distance) < 0.005, "the view left the line") }
        }
    }

    // MARK: Focus

    @Test func aManualFocusBelongsToAView() {
        bench.outcome(of: .controls, #"{"autofocus": false, "focus": 100}"#)
        bench.outcome(of: .presets, #"{"save": "near"}"#)
        #expect(presets["near"]["controls"] == ["autofocus": false, "focus": 100])
        bench.outcome(of: .controls, #"{"autofocus": true}"#)
        #expect(current == "home")
        bench.outcome(of: .presets, #"{"go": "near"}"#)
        let values = bench.state(.controls)["values"]
        #expect(values["autofocus"] == false && values["focus"] == 100 && current == "near")
    }

    @Test func anAutomaticFocusBelongsToAViewToo() {
        bench.outcome(of: .presets, #"{"save": "auto"}"#)
        #expect(presets["auto"]["controls"] == ["autofocus": true])
        bench.outcome(of: .controls, #"{"autofocus": false, "focus": 100}"#)
        bench.outcome(of: .presets, #"{"go": "auto"}"#)
        #expect(bench.state(.controls)["values"]["autofocus"] == true && current == "auto")
    }

    @Test func aDeviceThatRefusesTheFocusDoesNotMove() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        bench.outcome(of: .presets, #"{"save": "auto"}"#)
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        device.failures[.controls] = .device("Input/output error")
        #expect(bench.outcome(of: .presets, #"{"go": "auto"}"#).refusal == Refusal(.device))
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test func aZoomDuringTheChangeOfTheFocusSupersedesIt() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        bench.outcome(of: .presets, #"{"save": "auto"}"#)
        device.held = [.controls]
        let go = bench.send(.presets, #"{"go": "auto"}"#)
        bench.outcome(of: .zoom, #"{"factor": 3}"#)
        device.release(.controls)
        #expect(go.statuses == [.superseded] && bench.state(.zoom)["factor"] == 3)
    }

    @Test(arguments: [true, false]) func aDeviceThatGoesDuringTheChangeOfTheFocusFailsIt(isReplaced: Bool) {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        bench.outcome(of: .presets, #"{"save": "auto"}"#)
        device.held = [.controls]
        let go = bench.send(.presets, #"{"go": "auto"}"#)
        if isReplaced { bench.attach() } else { device.unplug() }
        #expect(go.refusal == Refusal(.unavailable))
        bench.advance(by: .seconds(20))
        #expect(go.answers.count == 1)
    }

    // MARK: Limits

    @Test func aClientThatHas64LeavesRoomForOthers() {
        func save(_ name: String, _ client: String) -> Refusal? {
            bench.send(.presets, #"{"save": "\#(name)", "client": "\#(client)"}"#).refusal
        }
        for number in 0..<64 { #expect(save("a \(number)", "a") == nil) }
        #expect(presets["a 7"]["client"] == "a")
        #expect(save("more", "a") == Refusal(.busy, "save"))
        #expect(save("b", "b") == nil)
        // One that another client saves again is that client's.
        #expect(save("a 7", "b") == nil && presets["a 7"]["client"] == "b")
        #expect(save("more", "a") == nil)
        #expect(save("a 7", "a") == Refusal(.busy, "save"))
        // Shares outlive a restart.
        let next = CameraBench(saved: bench.saved)
        next.attach(simulated: .init(opticalMaximum: 2, width: 320, height: 180))
        let reply = next.send(.presets, #"{"save": "one more", "client": "a"}"#)
        #expect(reply.refusal == Refusal(.busy, "save"))
    }

    @Test func thereCanBe256OfWhichAnErrorListsFew() {
        func save(_ number: Int) -> CollectingReplyAddress {
            bench.send(.presets, #"{"save": "p\#(number)", "client": "c\#(number / 64)"}"#)
        }
        for number in 0..<256 { #expect(save(number).statuses == [.done]) }
        #expect(presets.fields.count == 256)
        #expect(save(256).refusal == Refusal(.busy, "save"))
        let message = bench.send(.presets, #"{"go": "nosuch"}"#).error?.message ?? ""
        #expect(message.contains("home, p0, p1") && message.contains("and 249 more"))
        #expect(message.utf8.count < 200)
    }

    @Test func thereCanBe64() {
        for number in 0..<64 {
            #expect(bench.send(.presets, "{\"save\": \"view \(number)\"}").statuses == [.done])
        }
        #expect(bench.send(.presets, #"{"save": "one more"}"#).refusal == Refusal(.busy, "save"))
        for command in [#"{"save": "view 7"}"#, #"{"delete": "view 8"}"#, #"{"save": "one more"}"#] {
            #expect(bench.send(.presets, command).statuses == [.done])
        }
    }

    // MARK: Restarts and other devices

    @Test func theyAreThereAgainAfterARestart() throws {
        look(at: 5, 0.4, 0.45)
        bench.outcome(of: .presets, #"{"save": "gate"}"#)
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        let next = CameraBench(boot: 2, saved: try #require(bench.savedState))
        next.attach(simulated: .init(opticalMaximum: 2, width: 320, height: 180))
        #expect(next.state(.presets)["presets"] == presets)
        next.outcome(of: .presets, #"{"go": "gate"}"#)
        #expect(isShowing(5, 0.4, 0.45, of: next))
    }

    @Test func aPresetOfALongerRangeIsTakenIntoThisOne() throws {
        look(at: 8)
        bench.outcome(of: .presets, #"{"save": "far"}"#)
        let next = CameraBench(CameraSettings(zoom: 1...4), boot: 2, saved: try #require(bench.savedState))
        next.attach(simulated: .init(opticalMaximum: 2, width: 320, height: 180))
        let reply = next.outcome(of: .presets, #"{"go": "far"}"#)
        #expect(reply.last?.clamped == true && reply.last?.factor == 4)
    }

    @Test func aLensThatRefusesIsTheReason() {
        let bench = CameraBench(CameraSettings(zoom: 2...8))
        bench.attach(simulated: .init(opticalMaximum: 2, width: 320, height: 180, fault: .writeError))
        #expect(bench.outcome(of: .presets, #"{"go": "home"}"#).refusal == Refusal(.device))
    }
}
