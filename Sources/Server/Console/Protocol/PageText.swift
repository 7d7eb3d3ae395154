internal import Contract

/// The texts that the console sends to pages.
enum PageText {
    static let complete = JSON.bytes(JSON.object(["complete": .flag(true)]))
    static let signIn = JSON.bytes(JSON.object(["sign_in": .flag(true)]))

    static func hello(_ page: Page, _ viewer: Viewer, version: String) -> [UInt8] {
        let fields: JSONObject = [
            "client": .text(viewer.name), "role": .text(viewer.role.rawValue), "page": .text(page.name),
            "version": .text(version), "max_cameras": .integer(PageMessage.maxCameras),
            "max_open": .integer(PageMessage.maxOpen),
        ]
        return JSON.bytes(JSON.object(["hello": .object(fields)]))
    }

    static func bus(isConnected: Bool) -> [UInt8] { JSON.bytes(JSON.object(["bus": .flag(isConnected)])) }

    /// - Parameter milliseconds: since 1970.
    static func time(_ milliseconds: Int) -> [UInt8] {
        JSON.bytes(JSON.object(["time": .integer(milliseconds)]))
    }

    static func cameras(_ changes: [(camera: CameraAddress, summary: CameraSummary?)]) -> [UInt8] {
        let named = changes.map { ($0.camera.description, $0.summary?.json ?? .null) }
        return JSON.bytes(JSON.object(["cameras": .object(JSONObject(distinct: named))]))
    }

    static func state(_ camera: CameraAddress, _ node: String, payload: [UInt8]) -> [UInt8] {
        text("state", ["camera": .text("\(camera)"), "node": .text(node)], payload)
    }

    static func event(_ camera: CameraAddress, payload: [UInt8]) -> [UInt8] {
        text("event", ["camera": .text("\(camera)")], payload)
    }

    static func answer(_ id: String, payload: [UInt8]) -> [UInt8] {
        text("answer", ["id": .text(id)], payload)
    }

    static func done(_ id: String) -> [UInt8] { answer(id, payload: Array(#"{"status":"done"}"#.utf8)) }

    /// An answer of the console itself, in the form of the contract.
    static func refusal(_ id: String, _ error: CommandError) -> [UInt8] {
        answer(id, payload: error.asReply)
    }

    /// - Parameter payload: valid JSON, which is passed on as it is.
    private static func text(_ name: String, _ fields: JSONObject, _ payload: [UInt8]) -> [UInt8] {
        var text = JSON.bytes(JSON.object([name: .object(fields)]))
        text.removeLast(2)
        text += #","payload":"#.utf8
        text += payload
        text += "}}".utf8
        return text
    }
}
