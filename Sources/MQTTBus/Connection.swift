internal import CMosquitto
internal import Glibc

/// The one owner of a libmosquitto client.
///
/// libmosquitto is driven from our own loop: it has no thread, and no call is made from inside its callbacks.
/// The callbacks only append events; ``takeEvent()`` returns them after the call that caused them.
///
/// `@unchecked Sendable`: one thread uses it at a time. The loop's thread hands it to the ``Connector`` for
/// the duration of ``connect()`` and does not use it before the attempt is finished.
final class Connection: @unchecked Sendable {
    enum Event {
        /// The broker answered CONNECT; nil if it accepted the connection.
        case answered(refusal: String?)
        case message(BusMessage)
        /// The broker refused this subscription.
        case subscriptionRefused(filter: String)
        /// The broker has answered all subscriptions.
        case subscribed
        /// The broker has acknowledged or refused a published message.
        case acknowledged(packet: Int32, refusal: String?)
        case closed(String)
    }

    /// Subscription identifiers (MQTT 5, 3.8.2.1.2) of filters that include retained messages, and of all
    /// others.
    fileprivate static let filtersWithRetained: UInt32 = 1
    fileprivate static let filtersWithoutRetained: UInt32 = 2

    private let settings: BusSettings
    /// Has `self` as its context, unretained: `deinit` destroys the client.
    private var client: OpaquePointer?
    /// Whether ``connect()`` was called on the client.
    private var isUsed = false
    /// The certificates of the client, which uses them until it is destroyed. Nil without TLS.
    private var tls: TLSContext?
    /// Whether the broker has answered CONNECT.
    private var isAnswered = false
    private var events: [Event] = []
    /// The filters of unanswered subscriptions by packet identifier.
    private var subscriptions: [Int32: String] = [:]

    init(_ settings: BusSettings) throws(BusError) {
        self.settings = settings
        mosquitto_lib_init()
        try makeClient()
    }

    /// Makes a new client. Each connection has its own, because a reused one would resend unacknowledged
    /// messages, and an old state would arrive after a newer one.
    private func makeClient() throws(BusError) {
        mosquitto_destroy(client)
        tls = nil
        client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
        guard let client else {
            throw BusError(call: "mosquitto_new", reason: String(cString: strerror(errno)))
        }
        let version = settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check("protocol version", mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
        // Without it Nagle's algorithm and delayed ACKs delay a QoS 1 exchange by 40 ms.
        try check("TCP_NODELAY", mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
        try check(
            "maximum packet size",
            mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM_SIZE, Int32(settings.maxPacketSize)))
        if let username = settings.username {
            try check("user name", mosquitto_username_pw_set(client, username, settings.password))
        }
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

    /// Reads the certificates, which may have been replaced since the last connection.
    private func secure(_ tls: BusSettings.TLS) throws {
        let context = try TLSContext(tls, host: settings.host)
        self.tls = context
        try check("TLS", mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
        try check("TLS", mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, context.pointer))
    }

    private func check(_ what: String, _ code: Int32) throws(BusError) {
        if code != MOSQ_ERR_SUCCESS.rawValue {
            throw BusError(call: what, reason: description(of: code))
        }
    }

    /// Looks up the host, connects and sends CONNECT. Blocks, and must not be called on the loop's thread.
    ///
    /// - Returns: the reason for a failure; nil on success.
    func connect() -> String? {
        do {
            if isUsed { try makeClient() }
            if let tls = settings.tls { try secure(tls) }
        } catch {
            return "\(error)"
        }
        isUsed = true
        isAnswered = false
        events.removeAll()
        subscriptions.removeAll()
        var properties = Properties()
        if settings.version == .v5 {
            properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, settings.maxPacketSize)
        }
        let code = mosquitto_connect_bind_v5(
            client, settings.host, Int32(settings.port), Int32(settings.keepAlive), nil, properties.list)
        return code == MOSQ_ERR_SUCCESS.rawValue ? nil : description(of: code)
    }

    /// The descriptor to watch; nil without a connection.
    var descriptor: Int32? {
        let socket = mosquitto_socket(client)
        return socket >= 0 ? socket : nil
    }

    /// Whether data waits until the socket is writable.
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    func read() {
        // A TLS record may contain several packets, and decrypted data does not make the socket readable:
        // mosquitto_loop reads until nothing is pending.
        note(settings.tls == nil ? mosquitto_loop_read(client, 1) : mosquitto_loop(client, 0, 1))
    }

    /// Sends the TCP acknowledgement of received data now. Otherwise it goes with the next packet or after 40
    /// ms (tcp(7), TCP_QUICKACK; the option is not permanent).
    func acknowledge() {
        guard let descriptor else { return }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout.size(ofValue: on)))
    }

    func write() { note(mosquitto_loop_write(client, 1)) }

    /// Sends a PING when it is due and detects a broker that does not answer. To be called about once per
    /// second.
    func runMaintenance() { note(mosquitto_loop_misc(client)) }

    private func note(_ code: Int32) {
        if code != MOSQ_ERR_SUCCESS.rawValue { events.append(.closed(description(of: code))) }
    }

    /// Removes and returns the oldest event; nil: there is none.
    func takeEvent() -> Event? {
        // There is seldom more than one, so that the others needn't be moved.
        events.isEmpty ? nil : events.removeFirst()
    }

    /// Subscribes. With MQTT 3.1.1 a broker always sends retained messages, and forwards new ones without the
    /// retain flag.
    func subscribe(to filter: BusFilter) {
        var options = MQTT_SUB_OPT_NO_LOCAL.rawValue
        if filter.kind != .newOnly { options |= MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue }
        if filter.kind != .includingRetained { options |= MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue }
        let isV5 = settings.version == .v5
        var packet: Int32 = 0
        var properties = Properties()
        if isV5 {
            properties.add(
                subscription: filter.kind == .includingRetained
                    ? Self.filtersWithRetained : Self.filtersWithoutRetained)
        }
        let code = mosquitto_subscribe_v5(
            client, &packet, filter.filter, filter.qos.rawValue, isV5 ? Int32(options) : 0,
            isV5 ? properties.list : nil)
        switch code {
        case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue, MOSQ_ERR_OVERSIZE_PACKET.rawValue:
            // It is no filter as MQTT defines it, or too long for the broker. It was not sent, so that there
            // is no answer.
            subscriptionAnswered(filter.filter, isGranted: false)
        default: subscriptions[packet] = filter.filter
        }
    }

    /// Ends a subscription.
    func unsubscribe(from filter: BusFilter) { _ = mosquitto_unsubscribe(client, nil, filter.filter) }

    /// Sends a message. Returns its packet identifier.
    ///
    /// - Throws: ``BusError`` if libmosquitto does not take it, for instance because the broker announced a
    ///   smaller Maximum QoS or Maximum Packet Size (MQTT 5, 3.2.2.3).
    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, retain: Bool, _ properties: BusProperties?
    ) throws(BusError) -> Int32 {
        var packet: Int32 = 0
        let list = properties.map { Properties($0) } ?? Properties()
        // Not the string itself: that would be copied to an array for C.
        let code = topic.withCString { topic in
            mosquitto_publish_v5(
                client, &packet, topic, Int32(payload.count), payload, qos.rawValue, retain,
                settings.version == .v5 ? list.list : nil)
        }
        try check("mosquitto_publish", code)
        return packet
    }

    /// Sends DISCONNECT, so that the broker discards the will.
    func disconnect() { _ = mosquitto_disconnect(client) }

    fileprivate var readsUserProperties: Bool { settings.readsUserProperties }

    fileprivate func append(_ event: Event) { events.append(event) }

    fileprivate func subscribed(_ packet: Int32, isGranted: Bool) {
        guard let filter = subscriptions.removeValue(forKey: packet) else { return }
        subscriptionAnswered(filter, isGranted: isGranted)
    }

    private func subscriptionAnswered(_ filter: String, isGranted: Bool) {
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

    /// Why the connection failed: TLS, the system's error, or libmosquitto's description.
    fileprivate func description(of code: Int32) -> String {
        let error = errno
        if let failure = tls?.failure(isAnswered: isAnswered) { return "\(failure)" }
        switch code {
        case MOSQ_ERR_ERRNO.rawValue: return String(cString: strerror(error))
        // The connection ended without the messages by which TLS ends one.
        case MOSQ_ERR_TLS.rawValue: return String(cString: mosquitto_strerror(MOSQ_ERR_CONN_LOST.rawValue))
        default: return String(cString: mosquitto_strerror(code))
        }
    }

    /// The broker's answer to CONNECT; nil: it has accepted the connection.
    fileprivate func answered(refusal: String?) {
        isAnswered = true
        events.append(.answered(refusal: refusal))
    }
}

// The callbacks: C functions that find their connection in the context. It is alive, because it owns the
// calling client.

private func connection(_ context: UnsafeMutableRawPointer?) -> Connection? {
    context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

private func onConnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ flags: Int32,
    _ properties: OpaquePointer?
) {
    // Codes below 0x80 are return codes of MQTT 3.1.1 (3.2.2.3), the others reason codes of MQTT 5 (3.2.2.2).
    let description = code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code)
    let refusal = code == 0 ? nil : description.map { String(cString: $0) } ?? "refused (\(code))"
    connection(context)?.answered(refusal: refusal)
}

private func onDisconnect(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ properties: OpaquePointer?
) {
    guard let connection = connection(context) else { return }
    // Codes from 0x80 are the broker's reason (MQTT 5, 3.14.2.1).
    let reason =
        code < 0x80
        ? connection.description(of: code)
        : mosquitto_reason_string(code).map { String(cString: $0) } ?? "reason \(code)"
    connection.append(.closed(reason))
}

private func onSubscribe(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ packet: Int32, _ count: Int32,
    _ granted: UnsafePointer<Int32>?, _ properties: OpaquePointer?
) {
    // A value from 0x80 is the reason for a refusal instead of a QoS (MQTT 5, 3.9.3; 3.1.1, 3.9.3).
    let isGranted = (0..<Int(count)).allSatisfy { (granted?[$0] ?? 0) < 0x80 }
    connection(context)?.subscribed(packet, isGranted: isGranted)
}

private func onPublish(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ packet: Int32, _ code: Int32,
    _ properties: OpaquePointer?
) {
    // A code from 0x80 is the reason for a refusal (MQTT 5, 3.4.2.1). MQTT 3.1.1 has none.
    let refusal =
        code < 0x80 ? nil : mosquitto_reason_string(code).map { String(cString: $0) } ?? "reason \(code)"
    connection(context)?.append(.acknowledged(packet: packet, refusal: refusal))
}

private func onMessage(
    _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ message: UnsafePointer<mosquitto_message>?, _ properties: OpaquePointer?
) {
    guard let message = message?.pointee, let topic = message.topic else { return }
    // libmosquitto frees the bytes after this call.
    let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    guard let connection = connection(context) else { return }
    connection.append(
        .message(
            BusMessage(
                topic: String(cString: topic), payload: Array(payload),
                qos: QualityOfService(rawValue: message.qos) ?? .atMostOnce, isRetained: message.retain,
                isFromFilterWithoutRetained: Properties.isOnlySubscription(
                    Connection.filtersWithoutRetained, in: properties),
                responseTopic: Properties.text(MQTT_PROP_RESPONSE_TOPIC, in: properties),
                correlation: Properties.bytes(MQTT_PROP_CORRELATION_DATA, in: properties),
                contentType: Properties.text(MQTT_PROP_CONTENT_TYPE, in: properties),
                user: connection.readsUserProperties
                    ? Properties.user(in: properties, limit: BusMessage.maxUserProperties) : [])))
}
