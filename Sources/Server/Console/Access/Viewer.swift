internal import Contract

/// A person or a program that is admitted: by a token, by a cookie, or by an open console.
struct Viewer: Equatable, Sendable {
    /// The client in commands.
    let name: String
    let role: Role
    private let cameras: [CameraPattern]

    init(name: String, role: Role, cameras: [CameraPattern] = [.all]) {
        (self.name, self.role, self.cameras) = (name, role, cameras)
    }

    init(_ token: AccessToken) {
        self.init(name: token.name, role: token.role, cameras: token.cameras.compactMap(CameraPattern.init))
    }

    func sees(_ camera: CameraAddress) -> Bool { cameras.contains { $0.matches(camera) } }
}
