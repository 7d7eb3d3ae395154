internal import Contract

/// The newest states of the cameras that pages have open.
struct OpenStates {
    private var payloads: [CameraAddress: [String: [UInt8]]] = [:]
    /// The cameras that were opened, and when a state of them is missing by then, are asked for their states.
    private var awaited: [CameraAddress: ContinuousClock.Instant] = [:]
    /// How long the broker may take to deliver the retained states of a camera.
    private static let patience = Duration.seconds(2)
    private var budget = ByteBudget(limit: MessageLimits.allStates)

    /// The bytes of the states that are kept.
    var keptBytes: Int { budget.used }

    /// By the names of the nodes; empty for a camera that is not open.
    func payloads(of camera: CameraAddress) -> [String: [UInt8]] { payloads[camera] ?? [:] }

    /// The topics of the states.
    var subjects: [Topics.Subject] {
        payloads.flatMap { camera, nodes in nodes.keys.map { .camera(camera, node: $0) } }
    }

    /// Takes a state of a camera, if it is open.
    ///
    /// - Returns: false: there is no room for it.
    mutating func set(_ camera: CameraAddress, _ node: String, _ payload: [UInt8]) -> Bool {
        guard let before = payloads[camera] else { return true }
        guard budget.replace(before[node]?.count ?? 0, by: payload.count) else { return false }
        payloads[camera]?[node] = payload
        return true
    }

    /// The open cameras of which not all states have come in time, each once. Single ones are no sign that
    /// the broker has the others: they may have changed meanwhile.
    mutating func takeMissing(at time: ContinuousClock.Instant) -> [CameraAddress] {
        let due = awaited.filter { $0.value <= time }.keys
        for camera in due { awaited[camera] = nil }
        return due.filter { camera in
            let states = payloads(of: camera)
            return Node.allCases.contains { states[$0.name] == nil }
        }
        .sorted { $0.description < $1.description }
    }

    /// Replaces the open cameras. The states of those that are not open any more are forgotten.
    mutating func open(
        _ cameras: Set<CameraAddress>, at time: ContinuousClock.Instant
    ) -> (opened: [CameraAddress], closed: [CameraAddress]) {
        let opened = cameras.filter { payloads[$0] == nil }
        let closed = payloads.keys.filter { !cameras.contains($0) }
        for camera in opened {
            payloads[camera] = [:]
            awaited[camera] = time + Self.patience
        }
        for camera in closed {
            let bytes = payloads[camera]?.values.reduce(0) { $0 + $1.count } ?? 0
            _ = budget.replace(bytes, by: 0)
            payloads[camera] = nil
            awaited[camera] = nil
        }
        return (Array(opened), closed)
    }
}
