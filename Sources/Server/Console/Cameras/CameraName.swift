internal import Contract

/// A camera by its agent and its name, as in `porch/door`.
package struct CameraName: Hashable, Sendable, CustomStringConvertible {
    package let agent: String
    package let camera: String

    package init?(agent: String, camera: String) {
        guard Topics.isName(agent), Topics.isName(camera), agent != "groups" else { return nil }
        (self.agent, self.camera) = (agent, camera)
    }

    /// A camera from a text such as `porch/door`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(agent: String(parts[0]), camera: String(parts[1]))
    }

    package var description: String { "\(agent)/\(camera)" }
}
