/// Random messages of clients, made of fragments of the contract.
struct Commands {
    private static let nodes = [
        "zoom", "pinch", "touch", "viewport", "capture", "recording", "session", "controls", "presets",
        "preview", "lease", "desired", "privacy", "media",
    ]
    private static let timed: Set = ["zoom", "capture", "recording", "session", "controls", "presets"]
    private static let root = "v4l2mqtt/porch"

    private var chance: Chance
    private let isProved: Bool
    private var count = 0
    private var version = 0
    /// The buttons that are held down, so that their release often comes from the same client.
    private var pressed: [(client: String?, button: String)] = []
    /// The client of the present message, where it isn't to be chosen at random.
    private var client: String??

    init(_ chance: Chance, isProved: Bool) { (self.chance, self.isProved) = (chance, isProved) }

    // MARK: Messages

    mutating func message(to camera: String) -> StageMessage {
        let node = node()
        count += 1
        let payload = payload(for: node)
        let proved = chance.happens(isProved ? 85 : 8)
        let account = proved ? chance.pick(["a", "a", "b", isProved ? "console" : "c"]) : nil
        let place =
            switch chance.below(100) {
            case 0..<8: "v4l2mqtt/groups/\(chance.pick(["all", "front"]))"
            default: "\(Self.root)/\(camera)"
            }
        var message = StageMessage("\(place)/\(node)/set\(account.map { "/\($0)" } ?? "")", payload)
        message.qos = chance.pick([0, 1, 1, 1, 2])
        message.isRetained = chance.happens(node == "desired" ? 30 : 1)
        if chance.happens(50) {
            message.responseTopic =
                chance.happens(95)
                ? "replies/\(account ?? "x")/\(count)" : chance.pick(["elsewhere/x", "+", ""])
            if chance.happens(60) { message.correlation = [UInt8]("n\(count)".utf8) }
        }
        return message
    }

    /// A message that is for no node, or for none that there is.
    mutating func messageElsewhere() -> StageMessage {
        let account = isProved ? "/a" : ""
        let (topic, payload): (String, String) = chance.pick([
            ("\(Self.root)/refresh/set\(account)", ""),
            ("\(Self.root)/door/refresh/set\(account)", #"{"id": "r1"}"#),
            ("v4l2mqtt/groups/all/refresh/set\(account)", ""),
            ("\(Self.root)/refresh/set\(account)", #"{"ts": "$PAST", "ttl_ms": 5}"#),
            ("\(Self.root)/refresh/set\(account)", #"{"if_rev": 1}"#),
            ("\(Self.root)/cellar/zoom/set\(account)", "2"), ("\(Self.root)/door/focus/set\(account)", "{}"),
            ("\(Self.root)/cellar/refresh/set\(account)", ""), ("\(Self.root)/zoom/set\(account)", "2"),
            ("v4l2mqtt/groups/all/focus/set\(account)", "{}"), ("v4l2mqtt/groups/none/zoom/set", "2"),
            ("remote/button", #"{"action": "single"}"#), ("remote/button", #"{"action": "hold"}"#),
            ("remote/button", #"{"action": "release"}"#), ("remote/button", "off"),
            ("homeassistant/status", "online"), ("homeassistant/status", "offline"),
            ("\(Self.root)/info", #"{"run": "other", "host": "elsewhere"}"#),
            ("v4l2mqtt/fleet/config", #"{"version": 3, "config": {}}"#),
        ])
        var message = StageMessage(topic, [UInt8](payload.utf8))
        message.qos = chance.pick([0, 1])
        message.isRetained = topic.hasSuffix("config") || (topic.hasSuffix("info") && chance.happens(50))
        return message
    }

    private mutating func node() -> String {
        if chance.happens(35) { return chance.pick(["capture", "session", "recording", "desired", "zoom"]) }
        let node = chance.pick(Self.nodes)
        // A private camera refuses most of what follows.
        return node == "privacy" && chance.happens(50) ? "zoom" : node
    }

    // MARK: Payloads

    private mutating func payload(for node: String) -> [UInt8] {
        if chance.happens(5) { return [UInt8](short(node).utf8) }
        client = nil
        var fields = fields(node) + envelope(node)
        let number = chance.below(100)
        if Self.timed.contains(node) {
            switch number {
            case 0..<9: fields.append(#""at": "\#(chance.pick(["$SOON", "$SOON", "$LATER"]))""#)
            case 9: fields.append(#""at": "$PAST""#)
            case 10: fields += [#""at": "$SOON""#, #""at_any_clock": true"#]
            case 11..<15:
                fields = fields.filter { $0.hasPrefix(#""client""#) }
                fields.append(#""cancel": "q\#(max(0, count - chance.below(8)))""#)
            default: break
            }
        }
        if number > 96 { damage(&fields) }
        let text = "{" + fields.joined(separator: ", ") + (number == 96 ? "" : "}")
        if chance.happens(0.4) { return [UInt8](text.utf8) + [UInt8](repeating: 0x20, count: 17_000) }
        return chance.happens(0.4) ? [0xFF] + [UInt8](text.utf8) : [UInt8](text.utf8)
    }

    private mutating func short(_ node: String) -> String {
        switch node {
        case "zoom": chance.pick(["2.5", " 3 ", "0", "1e3", "x"])
        case "recording", "privacy", "preview":
            chance.pick(["ON", "OFF", "on", #""off""#, "true", "false", ""])
        case "session": chance.pick(["low", "high", #""medium""#, "64x36"])
        default: chance.pick(["", "{", "[]", "2.5", "ON", "null", #"{"nonsense": 1}"#, "{}"])
        }
    }

    private mutating func damage(_ fields: inout [String]) {
        guard !fields.isEmpty else { return }
        let place = chance.below(fields.count)
        let name = fields[place].split(separator: ":").first ?? ""
        switch chance.below(5) {
        case 0: fields.append(fields[place])
        case 1: fields[place] = "\(name): []"
        case 2: fields[place] = "\(name): \"1\""
        case 3: fields[place] = "\(name): -1e9"
        default: fields.append(#""extra": true"#)
        }
    }

    private mutating func envelope(_ node: String) -> [String] {
        var fields: [String] = []
        if chance.happens(70) {
            fields.append(#""id": "q\#(chance.happens(10) ? chance.below(count + 1) : count)""#)
        }
        let client = self.client ?? (chance.happens(isProved ? 10 : 70) ? chance.pick(["a", "b", "c"]) : nil)
        self.client = nil
        if let client { fields.append(#""client": "\#(client)""#) }
        if chance.happens(5) { fields.append(#""if_rev": \#(chance.pick(["$REV", "$REV", "7"]))"#) }
        if chance.happens(8) {
            fields.append(#""ts": "\#(chance.pick(["$NOW", "$NOW", "$PAST"]))""#)
            if node != "lease" { fields.append(#""ttl_ms": 1000"#) }
        }
        return fields
    }

    private mutating func fields(_ node: String) -> [String] {
        switch node {
        case "zoom": zoom()
        case "pinch": pinch()
        case "touch": touch()
        case "viewport":
            chance.happens(50)
                ? [#""center": {"x": \#(unit()), "y": \#(unit())}"#]
                : [#""by": {"dx": \#(chance.number(-0.5, 0.5)), "dy": \#(chance.number(-2, 2))}"#]
        case "capture": chance.happens(40) ? press() : capture()
        case "recording": recording()
        case "session": session()
        case "controls": controls()
        case "presets": presets()
        case "preview":
            chance.happens(25)
                ? [#""stop": true"#]
                : [
                    #""fps": \#(chance.pick([1, 5, 20]))"#, #""seconds": \#(chance.pick([1, 3, 20]))"#,
                    #""width": \#(chance.pick([16, 320]))"#,
                ]
        case "lease":
            chance.happens(40)
                ? [#""release": true"#]
                : [
                    #""take": true"#, #""ttl_ms": \#(chance.pick([100, 2_000, 9_000]))"#,
                    #""force": \#(chance.happens(40))"#,
                ]
        case "desired": desired()
        case "privacy": [#""state": "\#(chance.pick(["ON", "OFF", "OFF"]))""#]
        default: media()
        }
    }

    private mutating func unit() -> Double { chance.number(0, 1) }

    private mutating func goal() -> String {
        switch chance.below(10) {
        case 0..<6: #""factor": \#(chance.pick(["1", "1.5", "2", "3", "4", "6", "8", "20"]))"#
        case 6..<8: #""position": \#(unit())"#
        default: #""by": \#(chance.pick([0.5, 1, 2]))"#
        }
    }

    private mutating func rate() -> [String] {
        chance.happens(50) ? [#""rate": \#(chance.pick([0.5, 1, 4, 20, 99]))"#] : []
    }

    private mutating func anchor() -> [String] {
        chance.happens(20) ? [#""anchor": {"x": \#(unit()), "y": \#(unit())}"#] : []
    }

    private mutating func zoom() -> [String] {
        switch chance.below(20) {
        case 0..<13: return [goal()] + rate() + anchor()
        case 13..<17:
            let velocity = chance.pick([-2, -0.5, 0, 0.5, 2])
            return [
                #""move": {"velocity": \#(velocity), "timeout_ms": \#(chance.pick([100, 1_000, 9_000]))}"#
            ]
        case 17, 18: return [#""stop": true"#]
        default: return [chance.pick([#""factor": -1"#, #""factor": 2, "by": 2"#, #""anchor": {"x": 1}"#])]
        }
    }

    private mutating func pinch() -> [String] {
        let phase = chance.pick(["began", "changed", "changed", "changed", "ended", "cancelled"])
        var fields = [#""gesture": "\#(chance.pick(["g", "h"]))""#, #""phase": "\#(phase)""#]
        if phase == "changed" || chance.happens(20) { fields.append(#""scale": \#(chance.number(0.3, 3))"#) }
        if phase == "cancelled" && chance.happens(50) { fields.append(#""revert": true"#) }
        if chance.happens(30) { fields.append(#""mode": "incremental""#) }
        if chance.happens(30) { fields.append(#""seq": \#(chance.pick([count, count, 3]))"#) }
        return fields + anchor()
    }

    private mutating func touch() -> [String] {
        let phase = chance.pick(["began", "moved", "moved", "ended", "cancelled"])
        let touches = (0..<chance.pick([1, 2, 2])).map { finger in
            #"{"id": \#(finger), "x": \#(unit()), "y": \#(unit()), "phase": "\#(phase)"}"#
        }
        return [#""gesture": "t""#, #""touches": [\#(touches.joined(separator: ", "))]"#]
    }

    private mutating func press() -> [String] {
        var phase = chance.pick(["began", "began", "ended", "ended", "cancelled"])
        var button = chance.happens(40) ? "secondary" : "primary"
        if phase == "began" {
            let client: String? = chance.happens(70) ? chance.pick(["a", "b", "c"]) : nil
            pressed.append((client, button))
            self.client = .some(client)
        } else if let press = pressed.popLast() {
            (client, button) = (.some(press.client), press.button)
            if chance.happens(70) { phase = "ended" }
        }
        var fields = [#""phase": "\#(phase)""#]
        if button == "secondary" || chance.happens(20) { fields.append(#""button": "\#(button)""#) }
        if chance.happens(30) { fields.append(#""remote": true"#) }
        if phase == "ended" && chance.happens(40) { fields.append(#""reply": "image""#) }
        return fields
    }

    private mutating func capture() -> [String] {
        if chance.happens(8) {
            return [#""stop": true"#] + (chance.happens(30) ? [#""capture": "q\#(max(0, count - 2))""#] : [])
        }
        var fields: [String] = []
        if chance.happens(40) { fields.append(#""reply": "image""#) }
        if chance.happens(30) {
            fields.append(#""count": \#(chance.pick([2, 3, 5]))"#)
            fields.append(#""interval_ms": \#(chance.pick([0, 100, 1_000]))"#)
        }
        if chance.happens(30) {
            fields.append(#""zoom": {\#(([goal()] + rate()).joined(separator: ", "))}"#)
        } else if chance.happens(30) {
            fields.append(chance.pick([#""max_age_ms": 500"#, #""fresh": false"#, #""fresh": true"#]))
        }
        if chance.happens(20) { fields.append(#""size": {"width": \#(chance.pick([32, 640]))}"#) }
        if chance.happens(20) { fields.append(#""quality": \#(chance.pick([1, 90, 101]))"#) }
        return fields
    }

    private mutating func recording() -> [String] {
        if chance.happens(45) { return [#""on": false"#] }
        var fields = [#""on": true"#]
        if chance.happens(30) { fields.append(#""max_duration_s": \#(chance.pick([1, 3]))"#) }
        if chance.happens(20) { fields.append(#""audio": \#(chance.happens(50))"#) }
        if chance.happens(15) { fields.append(#""codec": "\#(chance.pick(["mjpeg", "h264"]))""#) }
        if chance.happens(10) { fields.append(#""max_bit_rate": \#(chance.pick([1, 4_000_000]))"#) }
        if chance.happens(10) { fields.append(#""key_frame_interval_s": 0.5"#) }
        return fields
    }

    private mutating func mode() -> [String] {
        var fields: [String] = []
        if chance.happens(70) {
            let quality = chance.pick([#""low""#, #""high""#, #""32x18""#, #""64x36""#, #""hd4K3840x2160""#])
            fields.append(#""quality": \#(chance.happens(10) ? "[\(quality), \"low\"]" : quality)"#)
        }
        if fields.isEmpty || chance.happens(30) { fields.append(#""fps": \#(chance.pick([15, 30, 90]))"#) }
        return fields
    }

    private mutating func session() -> [String] {
        var fields = mode()
        if chance.happens(40) { fields.append(#""controls": {\#(controls().joined(separator: ", "))}"#) }
        if chance.happens(40) { fields.append(#""zoom": {\#(([goal()] + rate()).joined(separator: ", "))}"#) }
        return fields
    }

    private mutating func controls() -> [String] {
        let all = [
            #""brightness": \#(chance.pick([0, 128, 255, 999]))"#, #""bias": \#(chance.pick([-1, 1]))"#,
            #""autofocus": \#(chance.happens(50))"#, #""color": \#(chance.pick([0, 2, 77]))"#,
            #""color_effects": \#(chance.pick([0, 1, 100]))"#, #""focus": 20"#, #""reset": true"#,
            #""unknown": 1"#,
        ]
        let number = chance.below(20)
        return number < 12
            ? [all[number % 5]] : number < 17 ? Array(all[0...number % 5]) : [all[5 + number % 3]]
    }

    private mutating func presets() -> [String] {
        let name = chance.pick(["desk", "door", "home", "\u{e9}t\u{e9}"])
        switch chance.below(10) {
        case 0..<4: return [#""save": "\#(name)""#]
        case 4..<9: return [#""go": "\#(name)""#] + rate()
        default: return [#""delete": "\#(name)""#]
        }
    }

    private mutating func desired() -> [String] {
        if chance.happens(75) { version += 1 }
        let shown = chance.happens(3) ? 5_000 : max(1, version - (chance.happens(10) ? 1 : 0))
        var fields = [#""version": \#(shown)"#]
        if chance.happens(5) { fields.append(#""reset": true"#) }
        if chance.happens(10) {
            fields.append(#""group": "\#(chance.pick(["all", "all", "front", "none"]))""#)
        }
        if chance.happens(60) { fields.append(#""session": {\#(mode().joined(separator: ", "))}"#) }
        if chance.happens(50) { fields.append(#""controls": {\#(controls().joined(separator: ", "))}"#) }
        if chance.happens(60) {
            let zoom = [#""factor": \#(chance.pick([1, 2, 5]))"#] + rate()
            fields.append(#""zoom": {\#(zoom.joined(separator: ", "))}"#)
        }
        return fields
    }

    private mutating func media() -> [String] {
        let name = chance.pick(["a.jpg", "b.jpg", "c.mp4", "missing.jpg"])
        switch chance.below(10) {
        case 0..<3:
            return [
                #""list": {"limit": \#(chance.pick([1, 100])), "kind": "\#(chance.pick(["photo", "recording"]))"}"#
            ]
        case 3..<5: return [#""describe": "\#(name)""#]
        case 5..<9: return [#""get": "\#(name)""#, #""length": \#(chance.pick([1, 131_072]))"#]
        default: return [#""delete": "\#(name)""#]
        }
    }
}
