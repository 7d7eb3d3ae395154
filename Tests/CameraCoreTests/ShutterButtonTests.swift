import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Several shutter buttons at the same time, and those whose release never comes.
struct ShutterButtonTests {
    let bench = CameraBench.shutter()

    private func button(_ client: String, _ button: ButtonRole = .primary) -> ShutterButton {
        ShutterButton(bench: bench, client: client, button: button)
    }

    @Test func theStateShowsWhichButtonsAreHeldDown() {
        let (first, second) = (button("phone"), button("tablet", .secondary))
        #expect(bench.pressedButtons == [])
        first.press()
        #expect(bench.pressedButtons == ["primary"])
        second.press()
        #expect(bench.pressedButtons == ["primary", "secondary"])
        first.release()
        #expect(bench.pressedButtons == ["secondary"])
        second.release(.cancelled)
        #expect(bench.pressedButtons == [])
    }

    @Test func eachClientHasItsOwnButtons() {
        let buttons = ["phone", "tablet", "desk"].map { button($0) }
        for button in buttons { button.press() }
        let ended = buttons.map { $0.send(.ended) }
        bench.advance(by: .seconds(1))
        #expect(ended.map { $0.lastMessage["photos"].list.count } == [1, 1, 1])
        #expect(Set(ended.compactMap { $0.lastMessage["photos"][0]["path"].text }).count == 3)
        #expect(buttons.map { $0.events("shutter").count } == [1, 1, 1])
    }

    @Test func aClientsTwoButtonsAreIndependent() {
        let (first, second) = (button("phone"), button("phone", .secondary))
        first.press()
        second.press()
        second.release(.cancelled)
        #expect(bench.pressedButtons == ["primary"])
        #expect(first.release()["photos"].list.count == 1)
    }

    @Test func pressesWithoutAClientAreOne() {
        let began = bench.send(.capture, #"{"phase": "began"}"#)
        bench.advance(by: ShutterButton.settling)
        let ended = bench.send(.capture, #"{"phase": "ended"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(began.statuses == [.accepted, .done] && ended.lastMessage["photos"].list.count == 1)
    }

    @Test func sixtyFourButtonsCanBeHeldAtOnce() {
        let buttons = (0..<64).map { button("c\($0 / 2)", $0 % 2 == 0 ? .primary : .secondary) }
        let replies = buttons.map { $0.send(.began) }
        bench.advance(by: ShutterButton.settling)
        #expect(replies.allSatisfy { $0.statuses == [.accepted, .done] })
        for button in buttons { button.send(.cancelled) }
        #expect(bench.pressedButtons == [])
    }

    @Test(arguments: ["ready", "unplugged"])
    func pressesThatWaitTogetherAreAnsweredInTheirOrder(_ end: String) {
        let clients = (0..<16).map { "c\($0 * 7 % 16)" }
        var answered: [String] = []
        for client in clients {
            button(client).send(.began).answered = { _ in answered.append(client) }
        }
        if end == "unplugged" { bench.source.detach(.unplugged) }
        bench.advance(by: ShutterButton.settling)
        #expect(answered == clients)
    }

    @Test func ofButtonsThatAreHeldTogetherTheFirstRecords() {
        let bench = CameraBench.shutter(ShutterSettings(longPress: .milliseconds(500)))
        for number in 0..<16 { ShutterButton(bench: bench, client: "c\(number * 7 % 16)").send(.began) }
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["origin"]["client"] == "c0")
    }

    @Test func aClientWithoutAPressTakesThePlaceOfAnother() {
        button("first").send(.began)
        bench.advance(by: .seconds(1))
        for number in 0..<62 { button("c\(number)").send(.began) }
        bench.advance(by: .milliseconds(1))
        button("c61", .secondary).send(.began)
        // `c61` has the most.
        #expect(button("new").send(.began).statuses == [.done])
        let release = button("c61", .secondary).send(.ended)
        #expect(release.statuses == [.error] && release.error?.code == .busy)
        // All have one: it's the place that was taken first.
        #expect(button("newer").send(.began).statuses == [.done])
        #expect(button("first").send(.ended).error?.code == .busy)
        #expect(button("newer").release()["photos"].list.count == 1)
    }

    @Test func aPressIsForgottenAfterTenMinutes() {
        let phone = button("phone")
        phone.press()
        bench.advance(by: .seconds(599))
        #expect(bench.pressedButtons == ["primary"])
        bench.advance(by: .seconds(2))
        #expect(bench.pressedButtons == [] && bench.state(.capture)["counter"] == 0)
    }

    @Test func theReleaseOfAForgottenPressTakesNoPhoto() {
        let phone = button("phone")
        phone.press()
        bench.advance(by: .seconds(601))
        let ended = phone.send(.ended)
        bench.advance(by: .seconds(1))
        #expect(ended.statuses == [.error] && ended.error?.code == .stale)
        #expect(bench.state(.capture)["counter"] == 0)
        // It was answered; the next release is one whose press was lost.
        #expect(phone.release()["photos"].list.count == 1)
    }

    @Test func aForgottenPressCanBeCancelled() {
        let phone = button("phone")
        phone.press()
        bench.advance(by: .seconds(601))
        phone.release(.cancelled)
        #expect(phone.release()["photos"].list.count == 1)
    }

    @Test func abandonedPressesDontCountAsHeld() {
        for number in 0..<64 { button("c\(number)").send(.began) }
        bench.advance(by: .seconds(601))
        button("phone").press()
        #expect(bench.pressedButtons == ["primary"])
        #expect(button("phone").release()["photos"].list.count == 1)
        #expect((0..<64).allSatisfy { button("c\($0)").send(.ended).error?.code == .stale })
    }

    @Test func theReleasesOfTheLast64ForgottenPressesAreKnown() {
        button("first").send(.began)
        bench.advance(by: .seconds(1))
        for number in 1..<64 { button("c\(number)").send(.began) }
        bench.advance(by: .seconds(600))
        button("last").send(.began)
        bench.advance(by: .seconds(601))
        #expect(button("c1").send(.ended).error?.code == .stale)
        #expect(button("last").send(.ended).error?.code == .stale)
        #expect(button("first").release()["photos"].list.count == 1)
    }

    // MARK: Without a device

    @Test(arguments: [PressSet.Phase.began, .ended, .cancelled], ButtonRole.allCases)
    func everyPhaseIsAnsweredWithoutADevice(phase: PressSet.Phase, of role: ButtonRole) {
        bench.source.detach(.unplugged)
        let reply = button("phone", role).send(phase)
        #expect(reply.statuses == [.error] && reply.error?.code == .unavailable)
    }

    @Test(arguments: ["unplugged", "stopped"]) func pressesThatWaitAreAnsweredAtTheEnd(_ end: String) {
        let (held, released) = (button("phone").send(.began), button("tablet").send(.began))
        let ended = button("tablet").send(.ended)
        if end == "unplugged" { bench.source.detach(.unplugged) } else { bench.stop() }
        for reply in [held, released, ended] {
            #expect(reply.statuses == [.accepted, .error] && reply.error?.code == .unavailable)
        }
        #expect(bench.pressedButtons == [])
    }

    @Test func aHeldButtonDoesntOutliveTheAgent() {
        button("phone").press()
        bench.stop()
        #expect(bench.pressedButtons == [])
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.pressedButtons == [])
        #expect(ShutterButton(bench: next, client: "phone").release()["photos"].list.count == 1)
    }

    @Test func aPressDoesntOutliveItsDevice() {
        button("phone").press()
        bench.source.detach(.unplugged)
        #expect(bench.pressedButtons == [])
        bench.attach()
        #expect(button("phone").send(.began).statuses == [.accepted], "the new device isn't ready yet")
        #expect(bench.pressedButtons == ["primary"])
    }

    @Test(arguments: [true, false]) func theReleaseAfterAnUnplugTakesNoPhoto(isReady: Bool) {
        let phone = button("phone")
        if isReady { phone.press() } else { phone.send(.began) }
        bench.source.detach(.unplugged)
        bench.attach()
        let ended = phone.send(.ended)
        bench.advance(by: .seconds(1))
        #expect(ended.statuses == [.error] && ended.error?.code == .unavailable)
        #expect(bench.state(.capture)["counter"] == 0)
        phone.press()
        #expect(phone.release()["photos"].list.count == 1)
    }

    @Test func withoutFramesAPressIsReadyAndItsPhotoFails() {
        let device = bench.attach()
        device.failures = [.frame: .device("no frame came")]
        let phone = button("phone")
        #expect(phone.send(.began).final?.status == .done)
        let ended = phone.send(.ended)
        bench.advance(by: .seconds(1))
        #expect(ended.final?.status == .error && ended.error?.code == .device)
    }
}
