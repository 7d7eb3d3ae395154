internal import Base
internal import Contract
internal import Fleet

extension V4L2MQTTClient {
    /// A camera at one time.
    public struct Camera: Sendable, Identifiable {
        /// Agent and camera, as in its topics: `porch/door`.
        public let id: String
        public let isOnline: Bool
        /// Why it is not online, or `private`: its device is closed.
        public let reason: String?
        private let payloads: [String: [UInt8]]

        init(_ address: CameraAddress, of client: FleetClient) {
            let presence = client.fleet.presence(of: address, at: client.loop.now)
            (id, reason) = ("\(address)", client.loss ?? presence.reason)
            isOnline = client.loss == nil && presence.state == .online
            payloads = client.fleet[address]?.facts.nodes ?? [:]
        }

        /// A state with the fields that the contract names, such as that of `zoom`; nil: it has none.
        public subscript(node: String) -> Value? { payloads[node].map { Value(payload: $0) } }

        /// The zoom factor, also while it moves.
        public var factor: Double? {
            let (zoom, live) = (self["zoom"], self["zoom/live"])
            let isLive = live?["rev"] == zoom?["rev"] && live?["boot"] == zoom?["boot"]
            return (isLive ? live : zoom)?["factor"]?.number
        }
    }

    /// Why a command was not carried out, or why there is no connection.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        let error: CommandError?

        /// That of the contract, or `superseded`. With `unavailable` the command may have been carried out.
        public var code: String { error?.code.rawValue ?? "superseded" }
        public var message: String { error?.message ?? "A later command took its place." }
        public var description: String { message }
    }

    /// A JSON value.
    public struct Value: Sendable, Hashable, CustomStringConvertible {
        let json: JSON
        var object: JSONObject { json.object ?? [:] }

        public var number: Double? { json.number }
        public var text: String? { json.text }
        public var flag: Bool? { json.flag }
        public var list: [Value]? { json.list?.map { Value(json: $0) } }
        public subscript(name: String) -> Value? { json.object?[name].map { Value(json: $0) } }
        /// As JSON.
        public var description: String { String(decoding: JSON.bytes(json), as: UTF8.self) }
    }
}

extension V4L2MQTTClient.Value: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    init(payload: [UInt8]?) { json = payload.flatMap { JSON($0) } ?? .null }
    public init(_ number: Double) { json = .number(number) }
    public init(_ text: String) { json = .text(text) }
    public init(stringLiteral text: String) { json = .text(text) }
    public init(floatLiteral number: Double) { json = .number(number) }
    public init(integerLiteral number: Int) { json = .integer(number) }
    public init(booleanLiteral flag: Bool) { json = .flag(flag) }
    public init(arrayLiteral values: Self...) { json = .list(values.map(\.json)) }
    /// Of a name that is there twice the last value counts.
    public init(dictionaryLiteral fields: (String, Self)...) {
        var object = JSONObject()
        for (name, value) in fields { object[name] = value.json }
        json = .object(object)
    }
}
