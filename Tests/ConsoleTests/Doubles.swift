import NIOCore
import Testing

@testable import Bus
@testable import Contract
@testable import Server

/// A page's socket that keeps what it gets.
final class RecordedConnection: PageConnection {
    var isWritable = true
    private(set) var texts: [String] = []
    private(set) var pictures: [(picture: PreviewPicture, number: Int)] = []
    private(set) var files: [(header: String, file: [UInt8])] = []
    private(set) var closed: PageError?
    /// What was sent, in its order: `text`, `picture` or `file`.
    private(set) var order: [String] = []
    /// Called while something is sent, as by a network that takes it at once.
    var becameWritable: () -> Void = {}

    func send(text: [UInt8]) {
        texts.append(String(decoding: text, as: UTF8.self))
        order.append("text")
        becameWritable()
    }

    func send(_ picture: PreviewPicture, number: Int) {
        pictures.append((picture, number))
        order.append("picture")
        becameWritable()
    }

    func send(header: [UInt8], file: [UInt8]) {
        files.append((String(decoding: header, as: UTF8.self), file))
        order.append("file")
        becameWritable()
    }

    func close(_ error: PageError) {
        #expect(closed == nil, "a socket is closed once")
        closed = error
    }

    /// The texts since the last call.
    func newTexts() -> [String] {
        defer { texts = [] }
        return texts
    }

    /// The texts of one kind since the last call of ``newTexts()``, by the name of their field.
    func texts(_ kind: String) -> [String] { texts.filter { $0.hasPrefix("{\"\(kind)\":") } }
}

/// A broker that keeps what it gets.
final class RecordedBus: ConsoleBus {
    struct Message {
        let topic: String
        let payload: [UInt8]
        let qos: QualityOfService
        let properties: BusProperties

        var fields: JSONObject { JSON(payload)?.object ?? [:] }
    }

    private(set) var messages: [Message] = []
    /// The present subscriptions.
    private(set) var filters: Set<String> = []
    private(set) var changes = 0
    /// The correlation data of commands, by their ids.
    private(set) var correlations: [String: [UInt8]] = [:]
    /// Whether there are subscriptions that the broker has to answer.
    var hasUnanswered = false

    func subscribe(_ filters: [BusFilter]) {
        hasUnanswered = true
        self.filters.formUnion(filters.map(\.filter))
        changes += 1
    }

    func unsubscribe(_ filters: [BusFilter]) {
        self.filters.subtract(filters.map(\.filter))
        changes += 1
    }

    func publish(_ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties) {
        let message = Message(topic: topic, payload: payload, qos: qos, properties: properties)
        messages.append(message)
        if let id = message.fields["id"]?.text { correlations[id] = properties.correlation }
    }

    /// The messages since the last call.
    func newMessages() -> [Message] {
        defer { messages = [] }
        return messages
    }
}

func picture(_ name: String = "porch/door", _ bytes: [UInt8] = []) -> PreviewPicture {
    PreviewPicture(camera: camera(name), headerEnd: Array("}".utf8), content: ByteBuffer(bytes: bytes))
}

/// A console with a broker that is a double, in a time that stands still unless it is moved.
final class Bench {
    let bus = RecordedBus()
    let access: AccessControl
    let console: Console
    private let clock: Clock
    /// The commands of each page that have no id of their own.
    private var commands: [String: Int] = [:]
    /// The cameras of each agent.
    private var listed: [String: [String]] = [:]

    private final class Clock {
        var now = ContinuousClock.now
    }

    var now: ContinuousClock.Instant {
        get { clock.now }
        set { clock.now = newValue }
    }

    init(
        _ tokens: TokenList = TokenList(), account: String? = nil, isConnected: Bool = true
    ) {
        let clock = Clock()
        self.clock = clock
        access = AccessControl(tokens: tokens, name: "console", RequestOptions())
        let settings = ConsoleSettings(
            baseTopic: "v4l2mqtt", name: "console", account: account, clientID: "id1",
            version: "1.2.3")
        console = Console(settings, access: access, bus: bus) { clock.now }
        if isConnected { connect() }
    }

    func connect() {
        console.brokerConnected()
        console.brokerSubscribed()
    }

    /// A page of a viewer; by default of one who may do everything.
    func open(
        role: Role = .manage, name: String = "tablet", cameras: [String] = ["*"]
    ) -> (page: Page, connection: RecordedConnection) {
        let connection = RecordedConnection()
        let viewer = Viewer(name: name, role: role, cameras: cameras.compactMap(CameraPattern.init))
        return (console.connect(connection, Admission(viewer: viewer, token: nil)), connection)
    }

    func receive(_ text: String, from page: Page) {
        console.receive(Array(text.utf8), from: page)
    }

    /// - Parameter id: "next": the page counts its commands, from 1.
    func command(
        _ page: Page, _ node: String, _ payload: String, id: String? = "next", camera: String = "porch/door"
    ) {
        if id == "next" { commands[page.name, default: 0] += 1 }
        let id = id == "next" ? "\(commands[page.name, default: 0])" : id
        let named = id.map { "\"id\":\"\($0)\"," } ?? ""
        receive(
            #"{"command":{\#(named)"camera":"\#(camera)","node":"\#(node)","payload":\#(payload)}}"#,
            from: page)
    }

    /// - Parameter correlation: the id of a command, in the place of its correlation data; or any other text.
    func publish(
        _ topic: String, _ payload: [UInt8], correlation: String? = nil, contentType: String? = nil,
        user: [(name: String, value: String)] = []
    ) {
        let message = BusMessage(
            topic: topic, payload: payload, qos: .atLeastOnce, isRetained: false,
            correlation: correlation.map { bus.correlations[$0] ?? Array($0.utf8) }, contentType: contentType,
            user: user)
        console.receive(message)
    }

    func publish(_ topic: String, _ json: String, correlation: String? = nil) {
        publish("v4l2mqtt/\(topic)", Array(json.utf8), correlation: correlation)
    }

    /// Makes cameras known, as their agents do.
    func add(_ cameras: String..., isProved: Bool = false) {
        for name in cameras {
            let parts = name.split(separator: "/").map(String.init)
            let (agent, camera) = (parts[0], parts[1])
            if listed[agent]?.contains(camera) != true { listed[agent, default: []].append(camera) }
            publish("\(agent)/availability", #"{"state":"online"}"#)
            publishInfo(of: agent, isProved: isProved)
            publish("\(name)/info", #"{"model":"Simulated","groups":["outside"]}"#)
            publish("\(name)/availability", #"{"state":"online"}"#)
        }
    }

    /// - Parameter cameras: nil: all that were added.
    func publishInfo(of agent: String, cameras: [String]? = nil, isProved: Bool = false) {
        let names = (cameras ?? listed[agent] ?? []).map { "\"\($0)\"" }.joined(separator: ",")
        publish(
            "\(agent)/info",
            #"{"agent":"\#(agent)","version":"1","protocol":1,"host":"h","cameras":[\#(names)],"clients":"\#(isProved ? "proved" : "open")","started":"t"}"#
        )
    }

    /// A second passes, or none; the broker has answered all subscriptions.
    func tick() {
        if bus.hasUnanswered { console.brokerSubscribed() }
        bus.hasUnanswered = false
        console.tick(milliseconds: 1_795_389_449_123)
    }

    func wait(seconds: Int) {
        for _ in 0..<seconds {
            now += .seconds(1)
            tick()
        }
    }
}
