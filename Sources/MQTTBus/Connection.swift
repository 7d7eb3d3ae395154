internal import CMosquitto
internal import Glibc

/// The one owner of a libmosquitto client.
///
/// libmosquitto is driven from our own loop: no thread of its own, no call from inside its callbacks. The callbacks only note
/// what happened; ``takeEvents()`` hands it out after the call that caused it.
///
/// `@unchecked Sendable`: it has one user at a time. The loop's thread hands it to the connector for the time of
/// ``connect()`` and doesn't touch it until it is handed back.
final class Connection: @unchecked Sendable {
    enum Event {
        /// The broker answered our CONNECT; nil: it took us.
        case answered(refusal: String?)
        case message(BusMessage)
        /// The broker doesn't let us listen there.
        case subscriptionRefused(filter: String)
        /// All subscriptions are answered.
        case subscribed
        /// A message of ours with QoS 1 or 2 has arrived.
        case delivered(Int32, refusal: String?)
        case closed(String)
    }

    /// Subscription identifiers (MQTT 5, 3.8.2.1.2) of filters that want what is retained, and of those that don't.
    fileprivate static let retainedFilters: UInt32 = 1
    fileprivate static let plainFilters: UInt32 = 2

    private let settings: BusSettings
    /// Made with `self` as its context, unretained: it is destroyed with us.
    private var client: OpaquePointer?
    /// Whether the client has had a connection, or tried to.
    private var isUsed = false
    private var events: [Event] = []
    /// What was subscribed to, by the number of the packet, until the broker answers.
    private var subscriptions: [Int32: String] = [:]

    init(_ settings: BusSettings) throws(BusError) {
        self.settings = settings
        mosquitto_lib_init()
        try makeClient()
    }

    /// Makes a client that has nothing behind it. Each connection has one of its own: libmosquitto would send again what it had under way,
    /// and an old state would come after a newer one.
    private func makeClient() throws(BusError) {
        mosquitto_destroy(client)
        client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
        guard let client else {
            throw BusError(call: "mosquitto_new", reason: String(cString: strerror(errno)))
        }
        let version = settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check("protocol version", mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
        // Without it Nagle's algorithm and delayed ACKs hold a QoS 1 exchange up for 40 ms.
        try check("TCP_NODELAY", mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
        if let username = settings.username {
            try check("user name", mosquitto_username_pw_set(client, username, settings.password))
        }
        if let tls = settings.tls { try secure(tls) }
        if let will = settings.will {
            try check(
                "will",
                mosquitto_will_set(
                    client, will.topic, Int32(will.payload.count), will.payload,
                    QualityOfService.atLeastOnce.rawValue, true))
        }
        setCallbacks()
    }

    deinit { mosquitto_destroy(client) }

    private func secure(_ tls: BusSettings.TLS) throws(BusError) {
        try check(
            "TLS", mosquitto_tls_set(client, tls.caFile, nil, tls.certificateFile, tls.keyFile, nil))
    }

    private func check(_ what: String, _ code: Int32) throws(BusError) {
        if code != MOSQ_ERR_SUCCESS.rawValue { throw BusError(call: what, reason: Self.words(for: code)) }
    }

    /// Looks the host up, connects and sends CONNECT; blocks as long as that takes, so it isn't for the loop's thread.
    /// Returns what went wrong.
    func connect() -> String? {
        if isUsed {
            do { try makeClient() } catch { return error.description }
        }
        isUsed = true
        events.removeAll()
        subscriptions.removeAll()
        var properties = Properties()
        if settings.version == .v5 {
            properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, BusSettings.largestPacket)
        }
        let code = mosquitto_connect_bind_v5(
            client, settings.host, Int32(settings.port), Int32(settings.keepAlive), nil, properties.list)
        return code == MOSQ_ERR_SUCCESS.rawValue ? nil : Self.words(for: code)
    }

    /// The descriptor to watch, while there is a connection.
    var descriptor: Int32? {
        let socket = mosquitto_socket(client)
        return socket >= 0 ? socket : nil
    }

    /// Whether to watch the descriptor for room to write.
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    func read() {
        // A TLS record may hold more than one packet, and what is already decrypted doesn't wake a poll: libmosquitto's own
        // turn reads until nothing is pending.
        note(settings.tls == nil ? mosquitto_loop_read(client, 1) : mosquitto_loop(client, 0, 1))
    }

    /// Tells the broker's kernel now what has arrived. The kernel does that with the next packet that goes there, or after 40 ms (tcp(7),
    /// TCP_QUICKACK; it forgets that it was asked).
    func acknowledge() {
        guard let descriptor else { return }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout.size(ofValue: on)))
    }

    func write() { note(mosquitto_loop_write(client, 1)) }

    /// Keep-alive; to be called once a second or so.
    func tendToKeepAlive() { note(mosquitto_loop_misc(client)) }

    private func note(_ code: Int32) {
        if code != MOSQ_ERR_SUCCESS.rawValue { events.append(.closed(Self.words(for: code))) }
    }

    /// Takes what happened since the last call.
    func takeEvents() -> [Event] {
        if events.isEmpty { return [] }
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Subscribes. On 3.1.1 the broker always gives what it keeps, and doesn't say of anything else whether it is to be retained.
    func subscribe(to filter: BusFilter) {
        var options = MQTT_SUB_OPT_NO_LOCAL.rawValue
        if filter.kind != .newOnly { options |= MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue }
        if filter.kind != .includingRetained { options |= MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue }
        let isV5 = settings.version == .v5
        var number: Int32 = 0
        var properties = Properties()
        if isV5 {
            properties.add(
                subscription: filter.kind == .includingRetained ? Self.retainedFilters : Self.plainFilters)
        }
        _ = mosquitto_subscribe_v5(
            client, &number, filter.filter, filter.qos.rawValue, isV5 ? Int32(options) : 0,
            isV5 ? properties.list : nil)
        subscriptions[number] = filter.filter
    }

    /// Sends a message. Returns its number, or nil when it couldn't even be queued.
    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, retain: Bool, _ properties: BusProperties?
    ) -> Int32? {
        var number: Int32 = 0
        let list = properties.map { Properties($0) } ?? Properties()
        let code = mosquitto_publish_v5(
            client, &number, topic, Int32(payload.count), payload, qos.rawValue, retain,
            settings.version == .v5 ? list.list : nil)
        return code == MOSQ_ERR_SUCCESS.rawValue ? number : nil
    }

    /// Says goodbye, so that the broker drops the will.
    func disconnect() { _ = mosquitto_disconnect(client) }

    fileprivate func heard(_ event: Event) { events.append(event) }

    fileprivate func subscribed(_ number: Int32, isGranted: Bool) {
        guard let filter = subscriptions.removeValue(forKey: number) else { return }
        if !isGranted { events.append(.subscriptionRefused(filter: filter)) }
        if subscriptions.isEmpty { events.append(.subscribed) }
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(client, onConnect)
        mosquitto_disconnect_v5_callback_set(client, onDisconnect)
        mosquitto_message_v5_callback_set(client, onMessage)
        mosquitto_publish_v5_callback_set(client, onPublish)
        mosquitto_subscribe_v5_callback_set(client, onSubscribe)
    }

    /// libmosquitto's words for an error; for a system error, the system's.
    private static func words(for code: Int32) -> String {
        let error = errno
        return code == MOSQ_ERR_ERRNO.rawValue
            ? String(cString: strerror(error)) : String(cString: mosquitto_strerror(code))
    }
}

/// What kept a client from being made.
package struct BusError: Error, CustomStringConvertible {
    package let call: String
    package let reason: String
    package var description: String { "MQTT: \(call): \(reason)" }
}

// The callbacks: C functions that find their connection in the context. It is alive, as it owns the client that calls.

private func connection(_ context: UnsafeMutableRawPointer?) -> Connection? {
    context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

private func onConnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ flags: Int32,
    _ properties: OpaquePointer?
) {
    // Below 0x80 the reason codes of 3.1.1 (3.2.2.3), from there those of MQTT 5 (3.2.2.2).
    let words = code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code)
    let refusal = code == 0 ? nil : words.map { String(cString: $0) } ?? "refused (\(code))"
    connection(context)?.heard(.answered(refusal: refusal))
}

private func onDisconnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ properties: OpaquePointer?
) {
    let words = code < 0x80 ? mosquitto_strerror(code) : mosquitto_reason_string(code)
    connection(context)?.heard(.closed(words.map { String(cString: $0) } ?? "reason \(code)"))
}

private func onSubscribe(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ number: Int32, _ count: Int32,
    _ granted: UnsafePointer<Int32>?, _ properties: OpaquePointer?
) {
    // From 0x80 on, what would be the QoS is the reason why not (MQTT 5, 3.9.3; 3.1.1, 3.9.3).
    let isGranted = (0..<Int(count)).allSatisfy { (granted?[$0] ?? 0) < 0x80 }
    connection(context)?.subscribed(number, isGranted: isGranted)
}

private func onPublish(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ number: Int32, _ code: Int32,
    _ properties: OpaquePointer?
) {
    // Known on MQTT 5 only: from 0x80 on, it is the reason why not (3.4.2.1).
    let refusal =
        code < 0x80 ? nil : mosquitto_reason_string(code).map { String(cString: $0) } ?? "reason \(code)"
    connection(context)?.heard(.delivered(number, refusal: refusal))
}

private func onMessage(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ message: UnsafePointer<mosquitto_message>?, _ properties: OpaquePointer?
) {
    guard let message = message?.pointee, let topic = message.topic else { return }
    // The bytes are libmosquitto's and gone after this call.
    let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    connection(context)?.heard(
        .message(
            BusMessage(
                topic: String(cString: topic), payload: Array(payload),
                qos: QualityOfService(rawValue: message.qos) ?? .atMostOnce, isRetained: message.retain,
                isFromPlainFilter: Properties.subscriptions(in: properties) == [Connection.plainFilters],
                responseTopic: Properties.text(MQTT_PROP_RESPONSE_TOPIC, in: properties),
                correlation: Properties.bytes(MQTT_PROP_CORRELATION_DATA, in: properties),
                contentType: Properties.text(MQTT_PROP_CONTENT_TYPE, in: properties))))
}
