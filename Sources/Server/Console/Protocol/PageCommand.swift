import Contract

/// A command of a page, as it came: nothing of it is checked but its form.
struct PageCommand: Equatable, Sendable {
    /// Nil: a sample of a gesture, which is not answered.
    let id: String?
    let camera: CameraAddress
    let node: String
    let payload: JSONObject

    private static let ids = 1...32
    /// Fields that a page may not write.
    private static let reserved = ["id", "client", "ts"]

    init(
        _ id: String?, _ camera: String, _ node: String, _ payload: JSONObject
    ) throws(PageError) {
        guard id.map({ Self.ids.contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isOfID) }) ?? true else {
            throw PageError(.policy, "an id is 1 to 32 letters and digits")
        }
        guard let name = CameraAddress(camera) else {
            throw PageError(.policy, "a camera is named as in porch/door")
        }
        if let field = Self.reserved.first(where: { payload[$0] != nil }) {
            throw PageError(.policy, "the field \(field) of a command is the console's")
        }
        (self.id, self.camera, self.node, self.payload) = (id, name, node, payload)
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
