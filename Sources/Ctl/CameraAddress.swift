import Base
internal import Contract

/// Where a camera is on the bus. Addresses are sorted by agent, then by camera.
package struct CameraAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    let agent: String
    package let camera: String

    init(agent: String, camera: String) { (self.agent, self.camera) = (agent, camera) }

    package static func < (one: Self, other: Self) -> Bool {
        (one.agent, one.camera) < (other.agent, other.camera)
    }

    /// The address as a line of JSON.
    var asJSON: PrintableLine { JSON.line(["agent": agent, "camera": camera]) }

    package var description: String { "\(agent)/\(camera)" }
}
