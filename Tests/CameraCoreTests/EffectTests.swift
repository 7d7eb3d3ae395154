import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// `color_effects`: a control of cameras that have none of their own, which the agent does to each frame.
struct EffectTests {
    private static let options: JSONValue = [
        ["value": 0, "title": "None"], ["value": 1, "title": "Mono"], ["value": 2, "title": "Sepia"],
        ["value": 3, "title": "Negative"], ["value": 100, "title": "Posterise"],
    ]

    let bench = CameraBench()

    init() { bench.attach() }

    private var value: JSONValue { bench.state(.controls)["values"]["color_effects"] }

    @discardableResult private func choose(_ value: Int) -> CollectingReplyAddress {
        bench.send(.controls, #"{"color_effects": \#(value)}"#)
    }

    @Test func itIsAPickerWithTitles() {
        let controls = bench.frontEnd.state(on: .info)["controls"].list
        let pickers = controls.filter { $0["name"] == "color_effects" }
        #expect(
            pickers.count == 1 && pickers[0]["kind"] == "picker" && pickers[0]["title"] == "Color Effects")
        #expect(pickers[0]["options"] == Self.options)
        #expect(pickers[0]["default"] == 0 && pickers[0]["enabled"] == true && value == 0)
    }

    @Test func itIsSetTogetherWithControlsOfTheDevice() {
        let reply = bench.send(.controls, #"{"color_effects": 2, "brightness": 3}"#)
        #expect(reply.statuses == [.done] && reply.lastMessage["values"]["color_effects"] == 2)
        #expect(value == 2 && bench.state(.controls)["values"]["brightness"] == 3)
    }

    @Test(arguments: zip([0, 1, 2, 3, 100], [Effect.none, .mono, .sepia, .negative, .posterise]))
    func photosPreviewsAndRecordingsAreMadeWithIt(value: Int, effect: Effect) {
        #expect(choose(value).statuses == [.done])
        bench.photo()
        #expect(bench.media.encoded.map(\.effect) == [effect])
        bench.send(.preview, "ON")
        bench.startRecording()
        bench.advance(by: .milliseconds(100))
        #expect(bench.media.previewed.map(\.effect) == [effect])
        #expect(bench.media.recordings.flatMap(\.shown).allSatisfy { $0.effect == effect })
    }

    @Test func itMayChangeDuringARecordingAndAPreview() {
        bench.startRecording()
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .milliseconds(300))
        choose(1)
        bench.advance(by: .milliseconds(300))
        let recorded = bench.media.recordings.flatMap(\.shown).map(\.effect)
        for effects in [recorded, bench.media.previewed.map(\.effect)] {
            #expect(effects.first == Effect.none && effects.last == .mono)
            #expect(effects.count { $0 == .none } == effects.prefix { $0 == .none }.count)
        }
    }

    @Test(arguments: ["4", "-1", "99", #""sepia""#, "true", "null", "1.5"])
    func anotherValueIsRefusedAndNothingIsSet(wrong: String) {
        let brightness = bench.state(.controls)["values"]["brightness"]
        let reply = bench.send(.controls, #"{"color_effects": \#(wrong), "brightness": 200}"#)
        #expect(reply.statuses == [.error] && reply.error?.code == .badPayload)
        #expect(value == 0 && bench.state(.controls)["values"]["brightness"] == brightness)
    }

    @Test func itIsThereAgainAfterARestart() {
        choose(2)
        #expect(bench.saved.controls["color_effects"] == .number(2), "a kill keeps it as well")
        bench.stop()
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.state(.controls)["values"]["color_effects"] == 2)
        next.photo()
        #expect(next.media.encoded.map(\.effect) == [.sepia])
    }

    @Test func itOutlivesAnUnplug() {
        choose(1)
        bench.source.detach(.unplugged)
        bench.attach()
        bench.photo()
        #expect(value == 1 && bench.media.encoded.map(\.effect) == [.mono])
    }

    @Test func aDesiredStateAndASessionSetIt() {
        let desired = bench.send(.desired, #"{"version": 1, "controls": {"color_effects": 1}}"#)
        bench.advance(by: .seconds(1))
        #expect(desired.final?.status == .done && value == 1)
        let session = bench.send(.session, #"{"controls": {"color_effects": 2}}"#)
        bench.advance(by: .seconds(1))
        #expect(session.final?.status == .done && session.lastMessage["values"]["color_effects"] == 2)
        #expect(value == 2)
    }

    @Test func aDevicesOwnEffectsAreLeftToIt() {
        let own = Control(
            "color_effects", "Color Effects", .picker([.init(0, "None"), .init(2, "Sepia")]),
            default: .number(0))
        let device = bench.attach(controls: .scripted + [own])
        #expect(choose(2).statuses == [.done] && value == 2)
        #expect(device.calls.contains(.setControls(["color_effects": .number(2)])))
        bench.photo()
        #expect(bench.media.encoded.map(\.effect) == [.none])
        let titles = bench.frontEnd.state(on: .info)["controls"].list.filter { $0["name"] == "color_effects" }
        #expect(titles.map { $0["options"].list.count } == [2])
    }
}
