internal import Bus
internal import Contract

/// The topics of all cameras below a base topic, as a controller sees them.
struct CameraTopics {
    /// What a topic is about.
    enum Subject: Hashable {
        case agent(String, node: String)
        case camera(CameraName, node: String)
        /// An answer to a command that came without a response topic, as with MQTT 3.1.1.
        case answer
    }

    let base: String

    /// The topics of the list of cameras. QoS 0: a broker drops messages with QoS 1 if a client has too many.
    var listFilters: [BusFilter] {
        ["+/availability", "+/info", "+/+/availability", "+/+/info"].map {
            BusFilter("\(base)/\($0)", .includingRetained, qos: .atMostOnce)
        }
    }

    /// The states from which the list of cameras is made; each camera has them, open or not.
    static let summaryNodes = ["info", "availability"]
    /// All other states of a camera.
    private static let stateNodes = ReadOnlyState.namesWithNodes.filter { !summaryNodes.contains($0) }
    /// A topic that is published beside the states and not retained.
    private static let liveNode = "zoom/live"

    /// Whether a node of a camera has a retained state.
    static func isState(_ node: String) -> Bool { stateNodes.contains(node) }

    /// Whether a topic of a camera is for the pages that have it open.
    static func isForPages(_ node: String) -> Bool {
        isState(node) || node == liveNode || summaryNodes.contains(node)
    }

    /// The topics of an open camera that are not in the list of cameras.
    func stateFilters(of camera: CameraName) -> [BusFilter] {
        Self.stateNodes.map { BusFilter("\(base)/\(camera)/\($0)", .includingRetained, qos: .atLeastOnce) }
            + [
                BusFilter("\(base)/\(camera)/event", .newOnly, qos: .atLeastOnce),
                BusFilter("\(base)/\(camera)/\(Self.liveNode)", .newOnly, qos: .atMostOnce),
            ]
    }

    func pictureFilter(of camera: CameraName) -> BusFilter {
        BusFilter("\(base)/\(camera)/preview/live", .newOnly, qos: .atMostOnce)
    }

    /// - Parameter account: the end of the topic, which proves the sender; nil: it has none.
    func command(_ camera: CameraName, _ node: String, account: String?) -> String {
        "\(base)/\(camera)/\(node)/set" + Self.end(account)
    }

    /// The topic that asks an agent for its retained messages.
    func refresh(_ agent: String, account: String?) -> String {
        "\(base)/\(agent)/\(Topics.refresh)/set" + Self.end(account)
    }

    private static func end(_ account: String?) -> String { account.map { "/\($0)" } ?? "" }

    func subject(of topic: String) -> Subject? {
        guard topic.utf8.starts(with: "\(base)/".utf8) else { return nil }
        let levels = topic.utf8.dropFirst(base.utf8.count + 1)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
        switch levels.count {
        case 2: return .agent(levels[0], node: levels[1])
        case 3, 4:
            guard let camera = CameraName(agent: levels[0], camera: levels[1]) else { return nil }
            if levels.count == 4 && levels[3] == "reply" { return .answer }
            return .camera(camera, node: levels[2...].joined(separator: "/"))
        default: return nil
        }
    }
}
