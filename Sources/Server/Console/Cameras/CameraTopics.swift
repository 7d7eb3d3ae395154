internal import Bus
internal import Contract

/// The topics of all cameras below a base topic, as a controller sees them.
struct CameraTopics {
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
    func stateFilters(of camera: CameraAddress) -> [BusFilter] {
        Self.stateNodes.map { BusFilter("\(base)/\(camera)/\($0)", .includingRetained, qos: .atLeastOnce) }
            + [
                BusFilter("\(base)/\(camera)/event", .newOnly, qos: .atLeastOnce),
                BusFilter("\(base)/\(camera)/\(Self.liveNode)", .newOnly, qos: .atMostOnce),
            ]
    }

    func pictureFilter(of camera: CameraAddress) -> BusFilter {
        BusFilter("\(base)/\(camera)/preview/live", .newOnly, qos: .atMostOnce)
    }

    /// - Parameter account: the end of the topic, which proves the sender; nil: it has none.
    func command(_ camera: CameraAddress, _ node: String, account: String?) -> String {
        "\(base)/\(camera)/\(node)/set" + (account.map { "/\($0)" } ?? "")
    }

    /// The agent or the camera that a topic is about; nil: neither, or a group.
    func subject(of topic: String) -> Topics.Subject? {
        let subject = Topics.subject(of: topic, below: base)
        if case .camera(let address, _) = subject, address.agent == Topics.groups { return nil }
        return subject
    }

    /// Whether a message of a camera answers a command that came without a response topic, as with MQTT
    /// 3.1.1.
    static func isAnswer(_ node: String) -> Bool { node.hasSuffix("/reply") }
}
