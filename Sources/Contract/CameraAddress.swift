/// Where a camera is on the bus. Addresses are sorted by agent, then by camera.
package struct CameraAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let agent: String
    package let camera: String

    package init(agent: String, camera: String) { (self.agent, self.camera) = (agent, camera) }

    /// The address in a text such as `porch/door`; nil: no camera has it.
    package init?(_ text: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names.allSatisfy({ Topics.isName($0) }), names[0] != Topics.groups else {
            return nil
        }
        self.init(agent: names[0], camera: names[1])
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.agent, one.camera) < (other.agent, other.camera)
    }

    package var description: String { "\(agent)/\(camera)" }
}
