/// A person or a program that is admitted: by a token, by a cookie, or by an open console.
package struct Viewer: Equatable, Sendable {
    /// The client in commands.
    package let name: String
    package let role: Role
    private let cameras: [CameraPattern]

    package init(name: String, role: Role, cameras: [CameraPattern] = [.all]) {
        (self.name, self.role, self.cameras) = (name, role, cameras)
    }

    init(_ token: AccessToken) {
        self.init(name: token.name, role: token.role, cameras: token.cameras.compactMap(CameraPattern.init))
    }

    package func sees(_ camera: CameraName) -> Bool { cameras.contains { $0.matches(camera) } }
}
