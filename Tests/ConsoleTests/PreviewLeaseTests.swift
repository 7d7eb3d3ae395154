import NIOCore
import Testing

@testable import Bus
@testable import Contract
@testable import Server

@Suite struct PreviewLeaseTests {
    private let live = "v4l2mqtt/porch/door/preview/live"

    private func watch(_ bench: Bench, _ page: Page, width: Int, rate: Double) {
        bench.receive(#"{"watch":[{"camera":"porch/door","width":\#(width),"fps":\#(rate)}]}"#, from: page)
    }

    /// The leases that were sent, as `width rate` or `stop`.
    private func leases(_ bench: Bench) -> [String] {
        bench.bus.newMessages().map { message in
            #expect(message.topic == "v4l2mqtt/porch/door/preview/set")
            #expect(message.qos == .atLeastOnce)
            #expect(message.fields["client"] == .text("console"))
            if message.fields["stop"] != nil { return "stop" }
            guard case .integer(let width) = message.fields["width"] else { return "?" }
            #expect(message.fields["seconds"] == .integer(30))
            switch message.fields["fps"] {
            case .integer(let rate): return "\(width) \(rate)"
            case .number(let rate): return "\(width) \(rate)"
            default: return "?"
            }
        }
    }

    @Test func thereIsOneLeaseWithTheLargestWidthAndRate() {
        let bench = Bench()
        bench.add("porch/door")
        let one = bench.open(role: .look).page, two = bench.open(role: .look).page
        watch(bench, one, width: 960, rate: 2)
        #expect(leases(bench) == ["960 2"])
        #expect(bench.bus.filters == [live])
        watch(bench, two, width: 320, rate: 30)
        #expect(leases(bench) == ["960 30"])
        watch(bench, two, width: 320, rate: 30)
        #expect(leases(bench).isEmpty, "nothing has changed")
        bench.receive(#"{"watch":[]}"#, from: one)
        #expect(leases(bench) == ["320 30"])
        bench.console.disconnected(two)
        #expect(leases(bench) == ["stop"])
        #expect(bench.bus.filters.isEmpty)
        bench.now += .seconds(100)
        bench.tick()
        #expect(leases(bench).isEmpty)
    }

    @Test func aFloodOfPreviewRequestsChangesFewLeases() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        var sent = 0
        for second in 0..<10 {
            for number in 0..<125 {
                watch(bench, page, width: 320 + second * 125 + number, rate: 5)
                bench.receive(#"{"watch":[]}"#, from: page)
            }
            bench.now += .seconds(1)
            bench.tick()
            sent += leases(bench).count
        }
        #expect(connection.closed == nil)
        #expect(sent >= 192 && sent <= 192 + 10 * 16)
        watch(bench, page, width: 640, rate: 5)
        for _ in 0..<3 {
            bench.tick()
            bench.now += .seconds(1)
        }
        #expect(leases(bench).last == "640 5", "the newest list counts")
        #expect(bench.bus.filters == [live])
    }

    @Test func aLeaseIsRenewedBeforeItEnds() {
        let bench = Bench()
        bench.add("porch/door")
        watch(bench, bench.open().page, width: 960, rate: 30)
        _ = bench.bus.newMessages()
        var renewals = 0
        for _ in 0..<60 {
            bench.now += .seconds(1)
            bench.tick()
            renewals += leases(bench).count
        }
        #expect(renewals == 6)
    }

    @Test func aLeaseIsTakenAgainAfterTheCameraTheAgentOrTheBrokerComesBack() {
        let bench = Bench()
        bench.add("porch/door")
        watch(bench, bench.open().page, width: 960, rate: 30)
        _ = bench.bus.newMessages()
        bench.publish("porch/door/availability", #"{"state":"offline","reason":"unplugged"}"#)
        #expect(leases(bench).isEmpty)
        bench.publish("porch/door/availability", #"{"state":"online"}"#)
        #expect(leases(bench) == ["960 30"], "the camera was away")
        bench.publish("porch/door/availability", #"{"state":"online","reason":"private"}"#)
        _ = bench.bus.newMessages()
        bench.publish("porch/door/availability", #"{"state":"online"}"#)
        #expect(leases(bench) == ["960 30"], "it was private")
        bench.publish("porch/availability", #"{"state":"offline"}"#)
        #expect(leases(bench).isEmpty)
        bench.publish("porch/availability", #"{"state":"online"}"#)
        #expect(leases(bench) == ["960 30"], "the agent was away")
        bench.publish("porch/door/availability", #"{"state":"online"}"#)
        #expect(leases(bench) == ["960 30"], "the camera of an agent that was started anew is ready")
        bench.console.brokerDisconnected()
        bench.now += .seconds(20)
        bench.tick()
        #expect(leases(bench).isEmpty)
        bench.console.brokerConnected()
        #expect(leases(bench) == ["960 30"], "the broker was away")
    }

    @Test func whatIsWatchedWhileTheBrokerIsAwayIsLeasedLater() {
        let bench = Bench()
        bench.add("porch/door")
        bench.console.brokerDisconnected()
        watch(bench, bench.open().page, width: 960, rate: 30)
        #expect(leases(bench).isEmpty)
        bench.console.brokerConnected()
        #expect(leases(bench) == ["960 30"])
    }

    @Test func agentsWithProvedClientsGetTheLeaseOfTheAccount() {
        let bench = Bench(account: "cams")
        bench.add("porch/door", isProved: true)
        watch(bench, bench.open().page, width: 960, rate: 30)
        #expect(bench.bus.messages.map(\.topic) == ["v4l2mqtt/porch/door/preview/set/cams"])
        #expect(bench.bus.messages.map(\.fields["client"]) == [.text("console")])
    }

    @Test func picturesReachThePagesThatWatch() {
        let bench = Bench()
        bench.add("porch/door")
        let one = bench.open(), two = bench.open()
        bench.publish(live, [9])
        watch(bench, one.page, width: 960, rate: 30)
        bench.publish(live, [1], user: [("frame", "812")])
        #expect(one.connection.pictures.count == 1)
        #expect(two.connection.pictures.isEmpty)
        let (picture, number) = one.connection.pictures[0]
        #expect(picture.content == ByteBuffer(bytes: [1]))
        #expect(
            String(decoding: picture.header(number: number), as: UTF8.self)
                == #"{"number":1,"camera":"porch/door","frame":812}"#)
    }

    @Test func anAddressIsAPageWithPicturesOnly() {
        let bench = Bench()
        bench.add("porch/door")
        let connection = RecordedConnection()
        let admission = Admission(viewer: Viewer(name: "nvr", role: .look), token: nil)
        let page = bench.console.connect(connection, admission, hasText: false)
        bench.console.watch([PreviewRequest(camera: camera("porch/door"), width: 1280, rate: 15)], page)
        #expect(leases(bench) == ["1280 15"])
        bench.publish(live, [1])
        bench.tick()
        bench.console.brokerDisconnected()
        #expect(connection.order == ["picture"])
        bench.console.brokerConnected()
        _ = bench.bus.newMessages()
        bench.console.disconnected(page)
        #expect(leases(bench) == ["stop"])
    }
}
