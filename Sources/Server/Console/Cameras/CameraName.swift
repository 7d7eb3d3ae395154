internal import Contract

/// A camera by its agent and its name, as in `porch/door`.
struct CameraName: Hashable, Sendable, CustomStringConvertible {
    let agent: String
    let camera: String

    init?(agent: String, camera: String) {
        guard Topics.isName(agent), Topics.isName(camera), agent != "groups" else { return nil }
        (self.agent, self.camera) = (agent, camera)
    }

    /// A camera from a text such as `porch/door`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(agent: String(parts[0]), camera: String(parts[1]))
    }

    var description: String { "\(agent)/\(camera)" }
}
