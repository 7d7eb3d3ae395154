import Base
import Ctl
import Fleet
import Testing
import ZoomModel

@testable import Bus
@testable import Contract

/// `ctl watch`: its pages, lines and keys.
@Suite struct WatchTests {
    private let now = Timestamp.date("2026-01-02T03:05:06.500Z") ?? Timestamp.now

    private func porch(_ more: BusMessage...) -> CtlFleet {
        var fleet = fleet(
            options(), agentInfo("porch", cameras: "door"), availability("porch", .online, boot: 1),
            availability("porch/door", .online))
        for message in more { fleet.update(with: message) }
        return fleet
    }

    private func page(
        _ fleet: CtlFleet, columns: Int = 100, rows: Int = 24, colours: Bool = false, scrolled: Int = 0
    ) -> [String] {
        var view = FleetView()
        (view.title, view.scrolled) = ("v4l2mqtt/ at broker:1883", scrolled)
        return view.lines(fleet, fleet.addresses, rows: rows, now: now)
            .map { $0.text(columns: columns, hasColours: colours) }
    }

    // MARK: Pages

    @Test func aCameraIsARow() {
        let state = recordingState(.recording, path: "/r/1.mkv", startedAt: timestamp)
        let lines = page(
            porch(
                zoom("porch/door", zoomState(2, target: 4, client: "phone")),
                message("porch/door/recording", JSON.bytes(state)), refused("porch/door", "toy")))
        #expect(lines.count == 24)
        #expect(lines[0] == "v4l2mqtt/ at broker:1883: 1 of 1 online")
        #expect(lines[1] == "porch/door busy (toy): The camera is busy.")
        #expect(
            lines[2].split(separator: " ") == [
                "CAMERA", "STATE", "ZOOM", "RECORDING", "MOVED", "BY", "LAST", "ERROR",
            ])
        #expect(
            lines[3].hasPrefix(
                "porch/door  online  2.00× → 4.00×    ● 1:01     phone, command  busy (toy): The camera"))
        #expect(lines[23] == "q quits")
    }

    @Test func aPrivateCameraIsShownAsThat() {
        let lines = page(porch(availability("porch/door", .online, reason: "private")))
        #expect(lines[0].hasSuffix("1 of 1 online") && lines[3].hasPrefix("porch/door  online: private "))
    }

    @Test func theTimeOfARecordingIsNotShownWhileTheAgentIsAway() {
        let state = recordingState(.recording, path: "/r/1.mkv", startedAt: timestamp)
        let lines = page(
            porch(message("porch/door/recording", JSON.bytes(state)), availability("porch", .offline)))
        #expect(lines[0].hasSuffix("0 of 1 online"))
        #expect(lines[3].contains("offline") && !lines[3].contains("●"))
        #expect(lines[3].contains("the agent is offline"))
    }

    @Test func everyPageFitsTheTerminal() {
        let fleet = porch(zoom("porch/door", zoomState(2, client: "日本語")), refused("porch/door", "😀😀"))
        for columns in 1...120 {
            for rows in 1...12 {
                let lines = page(fleet, columns: columns, rows: rows)
                #expect(lines.count == rows)
                let widest = lines.map { $0.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) } }
                    .max()
                #expect(widest ?? 0 <= columns)
            }
        }
    }

    @Test func aNarrowTerminalKeepsStateZoomAndRecording() {
        let lines = page(porch(zoom("porch/door", zoomState(1))), columns: 46)
        #expect(lines[2].contains("RECORDING") && !lines[2].contains("MOVED BY"))
        #expect(lines[3].contains("online") && lines[3].contains("1.00×"))
    }

    @Test func manyCamerasAreScrolled() {
        let info = AgentInfo(
            agent: "porch", version: "1", protocol: 1, host: "host",
            cameras: (0..<30).map { "cam\($0 < 10 ? "0" : "")\($0)" }, clients: nil, started: timestamp)
        let fleet = fleet(options(), message("porch/info", JSON.bytes(info)))
        let top = page(fleet, rows: 10)
        #expect(top[3].hasPrefix("porch/cam00") && top[8].hasPrefix("porch/cam05"))
        #expect(top[9] == "q quits, arrows scroll: 24 more below")
        let middle = page(fleet, rows: 10, scrolled: 7)
        #expect(middle[3].hasPrefix("porch/cam07"))
        #expect(middle[9] == "q quits, arrows scroll: 7 more above, 17 more below")
        let bottom = page(fleet, rows: 10, scrolled: 24)
        #expect(bottom[8].hasPrefix("porch/cam29"))
        #expect(bottom[9] == "q quits, arrows scroll: 24 more above")
    }

    @Test func coloursAreOptional() {
        #expect(!page(porch()).joined().contains("\u{1B}"))
        #expect(page(porch(), colours: true)[3].contains("\u{1B}[32monline"))
    }

    @Test func textFromTheBusHasNoControlCharacters() {
        let client = "\u{1B}[2Jtoy\u{9B}"
        let lines = page(
            porch(zoom("porch/door", zoomState(1, client: client)), refused("porch/door", client)))
        #expect(lines.joined().unicodeScalars.allSatisfy { $0.isPrintable })
        #expect(lines[1].contains(#"(\u001b[2Jtoy\u009b)"#))
    }

    @Test func valuesOutsideTheRangeAreShown() {
        var state = zoomState(-5, target: 1e300)
        state.value.position = 1e300
        let lines = page(porch(zoom("porch/door", state)))
        #expect(lines[3].contains("0.00× → 1000000.00×"))
    }

    // MARK: Lines

    @Test func aLineForEachChange() {
        var lines = WatchLines(options())
        var fleet = fleet()
        func line(_ message: BusMessage) -> String? {
            fleet.update(with: message)
            return lines.line(for: message, fleet)?.text
        }
        #expect(line(agentInfo("porch", cameras: "door")) == nil)
        #expect(line(availability("porch", .online, boot: 1)) == nil, "the first `online` is no change")
        #expect(line(availability("porch/door", .online)) == nil)
        let moved = line(zoom("porch/door", zoomState(3, client: "phone")))
        #expect(
            moved == "porch/door 3.00× rev 1, phone, command")
        #expect(line(zoom("porch/door", zoomState(3, client: "phone"))) == nil, "nothing has changed")
        #expect(line(availability("porch", .offline)) == "porch offline")
        #expect(line(availability("porch", .online, boot: 2)) == "porch online")
        #expect(
            line(availability("porch/door", .offline, reason: "unplugged")) == "porch/door offline: unplugged"
        )
        #expect(line(message("other/topic", "1")) == nil)
    }

    @Test func agentsThatAreNotSelectedAreLeftOut() {
        let selection = options(agent: "hall", camera: "yard")
        var lines = WatchLines(selection)
        let fleet = fleet(selection, agentInfo("hall", cameras: "yard"), agentInfo("porch", cameras: "door"))
        #expect(lines.line(for: availability("porch", .offline), fleet) == nil)
        #expect(lines.line(for: availability("hall", .offline), fleet) == "hall offline")
        var other = WatchLines(options(camera: "roof"))
        #expect(
            other.line(for: availability("hall", .offline), CtlTests.fleet(options(camera: "roof"))) == nil)
    }

    @Test func aGroupSelectsItsCameras() {
        var selection = options()
        selection.group = "stage"
        var lines = WatchLines(selection)
        #expect(lines.needs.required.contains("info"))
        var fleet = fleet(selection)
        for message in member("hall") + member("attic", of: ["all"]) { fleet.update(with: message) }
        #expect(lines.line(for: availability("hall/door", .offline), fleet) == "hall/door offline")
        #expect(lines.line(for: availability("hall", .offline), fleet) == "hall offline")
        #expect(lines.line(for: availability("attic/door", .offline), fleet) == nil)
        #expect(lines.line(for: availability("attic", .offline), fleet) == nil)
        #expect(lines.line(for: member("hall")[2], fleet) == nil)
    }

    @Test func asJSONALineForEachMessage() {
        var lines = WatchLines(options(json: true))
        let fleet = porch()
        let nodes = lines.needs.required + lines.needs.optional
        #expect(
            Set(nodes) == Set(ReadOnlyState.namesWithNodes) && lines.needs.live == ["zoom/live", "event"])
        let pinch = message("porch/door/pinch", "null")
        let expected: PrintableLine = #"{"topic":"v4l2mqtt/porch/door/pinch","payload":null}"#
        #expect(lines.line(for: pinch, fleet) == expected)
        #expect(lines.line(for: pinch, fleet) == expected)
        #expect(lines.line(for: message("porch/door/zoom", ""), fleet) == nil)
        #expect(lines.line(for: agentInfo("porch", cameras: "door"), fleet) == nil)
        #expect(lines.line(for: message("porch/Door/zoom", "{}"), fleet) == nil)
        #expect(lines.line(for: message("other/topic", "{}"), fleet) == nil)
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a":1}"#),
        (
            "{\"a\":\n1,\r\n\"b\" :[ 0.5,\t{} ,[] ,[[1]], true,null ] }\n",
            #"{"a":1,"b":[0.5,{},[],[[1]],true,null]}"#
        ),
        (" null ", "null"),
        // A forged line.
        (
            "{}\n{\"topic\":\"v4l2mqtt/porch/door/zoom\",\"payload\":{}}",
            #""{}\u000a{\"topic\":\"v4l2mqtt/porch/door/zoom\",\"payload\":{}}""#
        ),
        ("x", #""x""#), ("1", #""1""#), (#""x""#, #""\"x\"""#), ("[1]", #""[1]""#),
        (#"{"a":1,"a":2}"#, #""{\"a\":1,\"a\":2}""#), (#"{"a":1}x"#, #""{\"a\":1}x""#),
        ("{\"\u{9B}\":\"\u{202E}\u{1B}\"}", #""{\"\u009b\":\"\u202e\u001b\"}""#),
        ("{\"\u{9B}\":\"\u{202E}\\u001b\"}", #"{"\u009b":"\u202e\u001b"}"#),
    ]) func jsonFromTheBusIsEncodedAnew(payload: String, expected: String) {
        var lines = WatchLines(options(json: true))
        let line = lines.line(for: message("porch/door/zoom", payload), porch())
        #expect(line?.text == #"{"topic":"v4l2mqtt/porch/door/zoom","payload":\#(expected)}"#)
    }

    @Test func aLongPayloadThatIsNoJSONIsCut() {
        var lines = WatchLines(options(json: true))
        let bytes = [UInt8](repeating: 0xFF, count: 1_000_000)
        let line = lines.line(for: message("porch/door/zoom", bytes), porch())
        #expect((1_000..<4_000).contains(line?.text.utf8.count ?? 0))
    }

    // MARK: Keys

    @Test(arguments: [
        ("q", [WatchKey.quit]), ("Q", [.quit]), ("xjq", [.scroll(1), .quit]),
        ("\u{1B}[A\u{1B}OB", [.scroll(-1), .scroll(1)]),
        ("\u{1B}[6~k\u{1B}[5~", [.scroll(6), .scroll(-1), .scroll(-6)]),
        ("\u{1B}[C", []), ("", []),
    ]) func keysAreDecoded(input: String, keys: [WatchKey]) {
        #expect(WatchKey.decode(input, page: 6) == keys)
    }
}
