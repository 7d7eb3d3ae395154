/// The newest states of the cameras that pages have open.
struct OpenStates {
    private var payloads: [CameraName: [String: [UInt8]]] = [:]

    /// By the names of the nodes; empty for a camera that is not open.
    func payloads(of camera: CameraName) -> [String: [UInt8]] { payloads[camera] ?? [:] }

    /// The topics of the states.
    var subjects: [CameraTopics.Subject] {
        payloads.flatMap { camera, nodes in nodes.keys.map { .camera(camera, node: $0) } }
    }

    /// Takes a state of a camera, if it is open.
    mutating func set(_ camera: CameraName, _ node: String, _ payload: [UInt8]) {
        payloads[camera]?[node] = payload
    }

    /// Replaces the open cameras. The states of those that are not open any more are forgotten.
    mutating func open(_ cameras: Set<CameraName>) -> (opened: [CameraName], closed: [CameraName]) {
        let opened = cameras.filter { payloads[$0] == nil }
        let closed = payloads.keys.filter { !cameras.contains($0) }
        for camera in opened { payloads[camera] = [:] }
        for camera in closed { payloads[camera] = nil }
        return (Array(opened), closed)
    }
}
