import Core
import TestSupport
import Testing

@testable import Contract
@testable import Settings

/// In `open` mode a sender can be a new client with each command, also as a made-up account in the topic.
/// Such a flood keeps another client from no place, and from a photo for a minute at most.
struct InventedNamesTests {
    /// How the names are given.
    enum Way: CaseIterable { case inPayloads, inTopics }

    static let camera = "v4l2mqtt/porch/door"

    /// A camera that the client `honest` has commanded before.
    private func bench(_ shutter: ShutterSettings = ShutterSettings()) -> AgentBench {
        var camera = CameraSettings(id: "door")
        camera.shutter = shutter
        let bench = AgentBench([camera])
        command(bench, "zoom", #""factor": 2"#, by: "honest")
        bench.advance(by: .seconds(61))
        command(bench, "zoom", #""factor": 1"#, by: "honest")
        return bench
    }

    /// Sends a command, and returns what is published at once.
    @discardableResult private func send(
        _ bench: AgentBench, _ node: String, _ fields: String, by client: String, _ way: Way = .inPayloads
    ) -> [CollectingBus.Message] {
        let topic = "\(Self.camera)/\(node)/set"
        switch way {
        case .inPayloads: return bench.deliver(topic, "{\(fields), \"client\": \"\(client)\"}")
        case .inTopics: return bench.deliver("\(topic)/\(client)", "{\(fields)}")
        }
    }

    /// Sends a command, and returns the answers that come at once.
    @discardableResult private func command(
        _ bench: AgentBench, _ node: String, _ fields: String, by client: String
    ) -> [JSONValue] {
        send(bench, node, fields, by: client).filter { $0.topic.hasSuffix("/reply") }.map(\.json)
    }

    /// Commands of clients that were never there before, and are not again.
    private func flood(
        _ bench: AgentBench, _ node: String, _ fields: String, _ names: Range<Int>, _ way: Way
    ) {
        for name in names { send(bench, node, fields, by: "c\(name)", way) }
    }

    /// The same in groups of ten, each second one.
    private func slowFlood(
        _ bench: AgentBench, _ node: String, _ fields: String, _ names: Range<Int>, _ way: Way
    ) {
        for first in stride(from: names.lowerBound, to: names.upperBound, by: 10) {
            flood(bench, node, fields, first..<first + 10, way)
            bench.advance(by: .seconds(1))
        }
    }

    /// Whether a capture is done, which a client sends again each second while it is refused.
    private func takesAPhotoInAMinute(
        _ bench: AgentBench, client: String = "honest", meanwhile hostile: (Int) -> Void
    ) -> Bool {
        for second in 0..<60 {
            hostile(2 * second)
            bench.bus.removeAll()
            command(bench, "capture", #""id": "photo-\#(second)""#, by: client)
            hostile(2 * second + 1)
            bench.advance(by: .seconds(1))
            let answers = bench.bus.messages(on: "\(Self.camera)/capture/reply").map(\.json)
            if answers.contains(where: { $0["client"] == .text(client) && $0["status"] == "done" }) {
                return true
            }
        }
        return false
    }

    /// Those of others are refused meanwhile, with an answer.
    @Test(arguments: Way.allCases) func thePhotosOfAllClientsCanBeUsedUpButNotThoseOfAMinuteLater(
        _ way: Way
    ) {
        let bench = bench()
        flood(bench, "capture", #""count": 1"#, 0..<600, way)
        #expect(
            command(bench, "capture", #""count": 1"#, by: "honest").map { $0["error"]["code"] }
                == ["rate_limited"])
        #expect(command(bench, "zoom", #""factor": 2"#, by: "honest").map { $0["status"] } == ["done"])
        bench.advance(by: .seconds(61))
        #expect(takesAPhotoInAMinute(bench) { _ in })
    }

    @Test func aNewClientHasItsPhotoAfterABurst() {
        let bench = bench()
        flood(bench, "capture", #""count": 1"#, 0..<1_000, .inPayloads)
        #expect(takesAPhotoInAMinute(bench, client: "guest") { _ in })
    }

    /// The places of made-up accounts are no better than those of other names.
    @Test func anInventedAccountKeepsNoPlaceFromANewClient() {
        let bench = bench()
        let series = #""count": 24, "interval_ms": 3600000"#
        for first in 0..<20 {
            flood(bench, "capture", series, first * 5..<first * 5 + 5, .inTopics)
            bench.advance(by: .seconds(1))
        }
        #expect(command(bench, "capture", series, by: "guest").last?["status"] == "accepted")
        flood(bench, "preview", #""seconds": 3600"#, 0..<100, .inTopics)
        #expect(command(bench, "preview", #""seconds": 60"#, by: "guest").last?["status"] == "done")
    }
}
