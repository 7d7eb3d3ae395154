internal import Contract

/// The texts that the console sends to pages.
enum PageText {
    static let signIn = Array(#"{"sign_in":true}"#.utf8)

    static func hello(_ page: Page, _ viewer: Viewer, version: String) -> [UInt8] {
        let fields: JSONObject = [
            "client": .text(viewer.name), "role": .text(viewer.role.rawValue), "page": .text(page.name),
            "version": .text(version), "max_cameras": .integer(PageMessage.maxCameras),
        ]
        return JSON.bytes(JSON.object(["hello": .object(fields)]))
    }

    static func bus(isConnected: Bool) -> [UInt8] { JSON.bytes(["bus": isConnected]) }

    /// - Parameter milliseconds: since 1970.
    static func time(_ milliseconds: Int) -> [UInt8] { JSON.bytes(["time": milliseconds]) }

    static func cameras(_ changes: [CameraAddress: CameraSummary?]) -> [UInt8] {
        let named = changes.map { ($0.key.description, $0.value) }
        return JSON.bytes(["cameras": Dictionary(uniqueKeysWithValues: named)])
    }

    /// - Parameter payload: valid JSON.
    static func state(_ camera: CameraAddress, _ node: String, payload: [UInt8]) -> [UInt8] {
        Array(#"{"state":{"camera":"\#(camera)","node":"\#(node)","payload":"#.utf8) + payload
            + Array("}}".utf8)
    }

    /// - Parameter payload: valid JSON.
    static func event(_ camera: CameraAddress, payload: [UInt8]) -> [UInt8] {
        Array(#"{"event":{"camera":"\#(camera)","payload":"#.utf8) + payload + Array("}}".utf8)
    }

    /// - Parameters:
    ///   - id: letters and digits.
    ///   - payload: valid JSON.
    static func answer(_ id: String, payload: [UInt8]) -> [UInt8] {
        Array(#"{"answer":{"id":"\#(id)","payload":"#.utf8) + payload + Array("}}".utf8)
    }

    /// An answer of the console itself, in the form of the contract.
    static func refusal(_ id: String, _ error: CommandError) -> [UInt8] {
        answer(id, payload: error.asReply)
    }
}
