import Contract

@testable import Bus
@testable import Server

/// What a page sends, for each role: it is refused, or is a message whose effects its role permits.
///
/// The first byte chooses the role, the patterns of cameras and the kind of the agent; each line after it is
/// a message of the page, or, after a `>`, a message of the broker: a topic below the base, a space and a
/// payload.
func checkPages(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let role = [Role.look, .control, .manage][Int(first) % 3]
    let patterns = [["*"], ["porch/*"], ["porch/do*", "*/gate"]][Int(first >> 2) % 3]
    let isProved = first & 0x20 != 0
    let viewer = Viewer(name: "tablet", role: role, cameras: patterns.compactMap(CameraPattern.init))
    let bus = JudgedBus(viewer, account: isProved ? "cams" : nil)
    var time = ContinuousClock.now
    let settings = ConsoleSettings(
        baseTopic: "v4l2mqtt", name: "console", account: isProved ? "cams" : nil, clientID: "id1",
        version: "1")
    let access = AccessControl(tokens: TokenList(), name: "console", RequestOptions())
    let console = Console(settings, access: access, bus: bus) { time }
    func publish(_ topic: String, _ payload: [UInt8]) {
        // A picture, which no page looks into, is the text of its properties too: NAME=VALUE&NAME=VALUE…
        let user =
            topic.hasSuffix("/preview/live") ? properties(String(decoding: payload, as: UTF8.self)) : []
        let message = BusMessage(
            topic: topic, payload: payload, qos: .atLeastOnce, isRetained: false, user: user)
        console.receive(message)
    }
    console.brokerConnected()
    let clients = isProved ? "proved" : "open"
    for agent in ["porch", "cellar"] {
        let info =
            #"{"agent":"\#(agent)","version":"1","protocol":1,"host":"h","cameras":["door","gate"],"clients":"\#(clients)","started":"t"}"#
        publish("v4l2mqtt/\(agent)/info", Array(info.utf8))
        publish("v4l2mqtt/\(agent)/availability", Array(#"{"state":"online"}"#.utf8))
        for camera in ["door", "gate"] {
            publish("v4l2mqtt/\(agent)/\(camera)/availability", Array(#"{"state":"online"}"#.utf8))
        }
    }
    let connection = JudgedConnection()
    let page = console.connect(connection, Admission(viewer: viewer, token: nil))
    bus.page = page.name
    for line in bytes.dropFirst().split(separator: UInt8(ascii: "\n")) {
        if line.first == UInt8(ascii: ">") {
            let parts = line.dropFirst().split(
                separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
            publish(
                "v4l2mqtt/\(String(decoding: parts[0], as: UTF8.self))",
                Array(parts.count > 1 ? parts[1] : []))
        } else {
            connection.isWritable = line.count % 5 != 0
            console.receive(Array(line), from: page)
        }
        time += .milliseconds(7)
    }
    connection.isWritable = true
    console.becameWritable(page)
    console.tick(milliseconds: 1)
    console.disconnected(page)
    expect(bus.pictures.isEmpty, "nobody watches, and the subscription is still there")
    expect(bus.states.isEmpty, "no page has it open, and the subscription is still there")
    let sent = connection.count
    publish("v4l2mqtt/porch/door/availability", Array(#"{"state":"offline"}"#.utf8))
    console.brokerDisconnected()
    expect(connection.count == sent, "something was sent to a page that is gone")
}

private func properties(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { property in
        let parts = property.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}
