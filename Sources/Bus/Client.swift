internal import Base
internal import CMosquitto
internal import Glibc
internal import Settings

/// The one owner of a libmosquitto client, for one connection: a client that is used again would resend
/// unacknowledged messages, and an old state would arrive after a newer one.
///
/// libmosquitto is driven from our own loop: it has no thread, and no call is made from inside its callbacks.
/// The callbacks only append events; ``takeEvent()`` returns them after the call that caused them.
final class Client {
    enum Event {
        /// The broker has accepted the connection.
        case accepted(BrokerLimits)
        case message(BusMessage)
        /// The broker has answered all subscriptions, or has refused one.
        case subscription(BusEvent)
        /// The broker has acknowledged or refused a published message.
        case acknowledged(packet: Int32, refusal: String?)
        /// The connection has ended, or was not made.
        ///
        /// - isTakeover: another client has connected with the same client identifier, and the broker says so
        ///   (MQTT 5, 3.1.4).
        case closed(reason: String, isTakeover: Bool)
    }

    /// Messages that may be unacknowledged at a time, if the broker does not permit fewer.
    static let maxInFlight = 20

    private let settings: BusSettings
    /// Has `self` as its context, unretained: `deinit` destroys the client.
    private var client: OpaquePointer?
    /// The certificates of the client, which uses them until it is destroyed. Nil without TLS.
    private let tls: TLSContext?
    private var wasOpen = false
    /// Whether the broker has accepted the connection.
    private var isAccepted = false
    /// Whether the end was reported: libmosquitto may report it several times.
    private var isClosed = false
    /// Those of a broker that says nothing, until it has answered.
    private var limits = BrokerLimits()
    private var events: [Event] = []
    /// The filters of unanswered subscriptions by packet identifier.
    private var subscriptions: [Int32: [String]] = [:]
    /// Subscriptions that are requested or ended by one packet.
    private static let maxFilters = 64

    /// - Throws: ``BusError`` when the settings can't be used.
    init(_ settings: BusSettings, tls: TLSContext? = nil) throws(BusError) {
        (self.settings, self.tls) = (settings, tls)
        mosquitto_lib_init()
        client = mosquitto_new(settings.mqtt.clientID, true, Unmanaged.passUnretained(self).toOpaque())
        guard let client else {
            throw BusError(call: "mosquitto_new", reason: String(cString: strerror(errno)))
        }
        let version = settings.isV5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check("protocol version", mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
        // Without it Nagle's algorithm and delayed ACKs delay a QoS 1 exchange by 40 ms.
        try check("TCP_NODELAY", mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
        // libmosquitto queues more without a limit, and messages with QoS 0 overtake that queue.
        try check("window", mosquitto_max_inflight_messages_set(client, UInt32(Self.maxInFlight)))
        if let username = settings.mqtt.username {
            try check(
                "user name", mosquitto_username_pw_set(client, username, settings.mqtt.password?.text))
        }
        if let will = settings.will {
            try check(
                "will",
                mosquitto_will_set(
                    client, will.topic, Int32(will.payload.count), will.payload,
                    QualityOfService.atLeastOnce.rawValue, true))
        }
        if let tls {
            try check("TLS", mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
            try check("TLS", mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, tls.pointer))
        }
        setCallbacks(of: client)
    }

    deinit { mosquitto_destroy(client) }

    private func check(_ what: String, _ code: Int32) throws(BusError) {
        if code != MOSQ_ERR_SUCCESS.rawValue {
            throw BusError(call: what, reason: description(of: code))
        }
    }

    /// Begins to connect: TCP, then TLS, if it is used, then CONNECT. To be called once.
    ///
    /// - Parameter address: numeric; a name would block.
    func open(_ address: String, port: Int) {
        let keepAlive = Int32(settings.mqtt.keepAlive)
        if settings.isV5 {
            // The only call that takes properties for CONNECT also blocks. Without a host it only keeps them.
            var properties = Properties()
            properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, settings.maxPacketSize)
            _ = mosquitto_connect_bind_v5(client, nil, Int32(port), keepAlive, nil, properties.list)
        }
        clearErrors()
        let code = mosquitto_connect_bind_async(client, address, Int32(port), keepAlive, nil)
        let error = errno
        if code == MOSQ_ERR_ERRNO.rawValue { close(words(forError: error)) } else { note(code) }
        if let descriptor { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// What a connection waits for that the broker has not accepted.
    var awaited: String {
        if !isOpen() { return "TCP connection" }
        return tls == nil ? "answer to CONNECT" : "answer to TLS and CONNECT"
    }

    /// The descriptor to watch; nil without a connection.
    var descriptor: Int32? {
        let socket = mosquitto_socket(client)
        return socket >= 0 ? socket : nil
    }

    /// Whether data waits until the socket is writable.
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// What the descriptor is to be watched for. libmosquitto wants to write during the whole handshake, also
    /// while that waits for the broker.
    var interest: EventLoop.Interest {
        if let connection, connection.isInHandshake {
            return connection.wantsToWrite ? .writable : .readable
        }
        return wantsToWrite ? [.readable, .writable] : .readable
    }

    /// Whether decrypted packets wait, which do not make the socket readable.
    var hasPending: Bool { connection?.hasPending ?? false }

    private var connection: TLSConnection? {
        tls == nil ? nil : mosquitto_ssl_get(client).map { TLSConnection($0) }
    }

    /// Continues the handshake, or reads the next packet. To be called when the descriptor is readable, and
    /// before ``write()`` when it is writable: during the handshake libmosquitto writes only here.
    func read() {
        guard isOpen() else { return }
        repeat {
            clearErrors()
            note(mosquitto_loop_read(client, 1))
        } while events.isEmpty && descriptor != nil && hasPending
    }

    /// Whether there is a TCP connection. libmosquitto takes one that failed for one that is slow.
    private func isOpen() -> Bool {
        guard !wasOpen, let descriptor else { return wasOpen }
        if let error = Self.pendingError(of: descriptor) {
            close(words(forError: error))
        } else {
            wasOpen = Self.isConnected(descriptor)
        }
        return wasOpen
    }

    /// Sends the TCP acknowledgement of received data now, if no packet carried it. Otherwise the kernel
    /// delays it by 40 ms, as the client sends nothing in answer to a PUBACK, and until then Nagle's
    /// algorithm, which mosquitto enables by default, holds back the broker's next packet (tcp(7),
    /// TCP_QUICKACK; the option is not permanent).
    func acknowledge() {
        guard let descriptor else { return }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout.size(ofValue: on)))
    }

    func write() {
        guard wasOpen else { return }
        clearErrors()
        note(mosquitto_loop_write(client, 1))
    }

    /// Sends a PING when it is due and detects a broker that does not answer. To be called about once per
    /// second.
    func runMaintenance() {
        clearErrors()
        note(mosquitto_loop_misc(client))
    }

    /// Forgets what OpenSSL has noted for this thread, before a call that may add to it.
    private func clearErrors() { if tls != nil { TLSConnection.clearErrors() } }

    /// Notes the result of a call. A handshake that the system could not transport is a success for
    /// libmosquitto.
    private func note(_ code: Int32) {
        if code != MOSQ_ERR_SUCCESS.rawValue || tls?.systemError != nil { closed(code) }
    }

    /// Removes and returns the oldest event; nil: there is none.
    func takeEvent() -> Event? {
        // There is seldom more than one, so that the others needn't be moved.
        events.isEmpty ? nil : events.removeFirst()
    }

    /// Subscribes, unless a filter needs MQTT 5 and this is 3.1.1. With that a broker always sends retained
    /// messages, and forwards new ones without the retain flag.
    func subscribe(to filters: [BusFilter]) {
        let isV5 = settings.isV5
        var rest = filters.filter { isV5 || !$0.needsV5 }[...]
        while let first = rest.first {
            let part = rest.prefix(Self.maxFilters).prefix { ($0.kind, $0.qos) == (first.kind, first.qos) }
            rest = rest.dropFirst(part.count)
            subscribe(part.map(\.filter), first)
        }
    }

    /// - Parameter options: a filter with the same options.
    private func subscribe(_ filters: [String], _ filter: BusFilter) {
        var options = filter.kind.includesOwn ? 0 : MQTT_SUB_OPT_NO_LOCAL.rawValue
        if filter.kind.keepsRetainFlag { options |= MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue }
        if !filter.kind.includesRetained { options |= MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue }
        var packet: Int32 = 0
        // libmosquitto 2.0.11 sends an empty filter, and brokers end the connection.
        let code =
            filters.contains("")
            ? MOSQ_ERR_INVAL.rawValue
            : withStrings(filters) { count, strings in
                mosquitto_subscribe_multiple(
                    client, &packet, count, strings, filter.qos.rawValue, settings.isV5 ? Int32(options) : 0,
                    nil)
            }
        if code == MOSQ_ERR_SUCCESS.rawValue || (packet != 0 && Self.isLoss(code)) {
            subscriptions[packet] = filters
        } else if filters.count > 1 {
            for single in filters { subscribe([single], filter) }
        } else {
            // It is no filter as MQTT defines it, or too long for the broker. It was not sent, so that there
            // is no answer.
            subscriptionAnswered(filters, isGranted: [false])
        }
    }

    /// Ends subscriptions.
    func unsubscribe(from filters: [BusFilter]) {
        var rest = filters.map(\.filter)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.maxFilters))
            rest = rest.dropFirst(part.count)
            _ = withStrings(part) { mosquitto_unsubscribe_multiple(client, nil, $0, $1, nil) }
        }
    }

    private func withStrings(
        _ texts: [String], _ call: (Int32, [UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let strings = texts.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        return call(Int32(strings.count), strings)
    }

    /// Sends a message, with the highest QoS that the broker has if that is lower. Returns the
    /// packet identifier of its acknowledgement; nil: there is none.
    ///
    /// - Throws: ``BusError`` if libmosquitto does not take it, for instance because the broker announced a
    ///   smaller Maximum Packet Size (MQTT 5, 3.2.2.3.6).
    func publish(_ message: Outgoing) throws(BusError) -> Int32? {
        let qos = min(message.qos, limits.maxQoS)
        // libmosquitto's own check is one byte too generous.
        if let limit = limits.maxPacketSize, message.packetSize(qos) > Int(limit) {
            try check("mosquitto_publish", MOSQ_ERR_OVERSIZE_PACKET.rawValue)
        }
        var packet: Int32 = 0
        let list = message.properties.map { Properties($0) } ?? Properties()
        clearErrors()
        // Not the string itself: that would be copied to an array for C.
        let code = message.topic.withCString { topic in
            mosquitto_publish_v5(
                client, &packet, topic, Int32(message.payload.count), message.payload, qos.rawValue,
                message.isRetained, settings.isV5 ? list.list : nil)
        }
        // A message with a packet identifier that the connection could not take any more is unacknowledged.
        if packet == 0 || !Self.isLoss(code) { try check("mosquitto_publish", code) }
        return qos == .atMostOnce ? nil : packet
    }

    /// Sends DISCONNECT, so that the broker discards the will.
    func disconnect() {
        clearErrors()
        _ = mosquitto_disconnect(client)
    }

    /// Whether a call failed because the connection had ended: it ends with an event.
    private static func isLoss(_ code: Int32) -> Bool {
        switch code {
        case MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_TLS.rawValue,
            MOSQ_ERR_ERRNO.rawValue:
            true
        default: false
        }
    }

    var readsUserProperties: Bool { settings.readsUserProperties }

    /// The bytes of a payload that are kept. With MQTT 5 a broker that sends more has broken the protocol;
    /// with MQTT 3.1.1 it does not know the limit, and the message is cut.
    func kept(of count: Int) -> Int {
        let limit = Int(settings.maxPacketSize)
        if count > limit && settings.isV5 {
            close("the broker sent a packet larger than the limit of \(limit) bytes")
        }
        return min(count, limit)
    }

    func append(_ event: Event) { events.append(event) }

    func subscribed(_ packet: Int32, isGranted: [Bool]) {
        guard let filters = subscriptions.removeValue(forKey: packet) else { return }
        subscriptionAnswered(filters, isGranted: isGranted)
    }

    private func subscriptionAnswered(_ filters: [String], isGranted: [Bool]) {
        for (filter, isGranted) in zip(filters, isGranted) where !isGranted {
            events.append(.subscription(.subscriptionRefused(filter: filter)))
        }
        if subscriptions.isEmpty { events.append(.subscription(.subscribed)) }
    }

    func accepted(_ limits: BrokerLimits) {
        isAccepted = true
        self.limits = limits
        events.append(.accepted(limits))
    }

    /// The broker has refused the connection.
    ///
    /// - code: below 0x80 a return code of MQTT 3.1.1 (3.2.2.3), otherwise a reason code of MQTT 5 (3.2.2.2).
    func refused(_ code: Int32, _ limits: BrokerLimits) {
        if code == 1 || code == Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue) {
            return close(
                settings.isV5
                    ? "\(BusEvent.onlyOldVersion)\(settings.versionKey.map { "; \($0) has to be 3.1.1" } ?? "")"
                    : "does not support MQTT 3.1.1")
        }
        let description = code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code)
        let words = [description.map { String(cString: $0) } ?? "reason \(code)"] + limits.notes
        close("refuses the connection: \(words.joined(separator: "; "))")
    }

    /// Only the first end counts: libmosquitto may report it several times.
    func close(_ reason: String, isTakeover: Bool = false) {
        if !isClosed { events.append(.closed(reason: reason, isTakeover: isTakeover)) }
        isClosed = true
    }

    /// - code: an error of libmosquitto.
    func closed(_ code: Int32) { close(description(of: code)) }

    /// Why the connection failed: TLS, the system's error, or libmosquitto's description.
    private func description(of code: Int32) -> String {
        let error = errno
        if let failure = tls?.failure(isAnswered: isAccepted) { return failure }
        if let error = tls?.systemError { return words(forError: error) }
        if !isAccepted && settings.isV5, let old = Self.conduct(ofOldBroker: code) {
            let advice = settings.versionKey.map { ", \($0) has to be 3.1.1" } ?? ", it can't be used"
            return "\(old); if it supports only MQTT 3.1.1\(advice)"
        }
        switch code {
        case MOSQ_ERR_CONN_LOST.rawValue where !isAccepted:
            return "closes the connection without an answer to CONNECT"
        case MOSQ_ERR_ERRNO.rawValue: return words(forError: error)
        // The connection ended without the messages by which TLS ends one.
        case MOSQ_ERR_TLS.rawValue: return String(cString: mosquitto_strerror(MOSQ_ERR_CONN_LOST.rawValue))
        // Version 2.0.11 has no description of it.
        case MOSQ_ERR_KEEPALIVE.rawValue: return "does not answer: no answer to PINGREQ"
        default: return String(cString: mosquitto_strerror(code))
        }
    }

    /// How a broker that knows no MQTT 5 answers CONNECT; nil: it does not answer so.
    private static func conduct(ofOldBroker code: Int32) -> String? {
        switch code {
        case MOSQ_ERR_CONN_LOST.rawValue: "closes the connection without an answer to CONNECT"
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
            "its answer to CONNECT is not of MQTT 5"
        default: nil
        }
    }

    private func words(forError code: Int32) -> String {
        let reason = String(cString: strerror(code))
        switch code {
        case ECONNREFUSED: return "refuses the connection: \(reason)"
        case ETIMEDOUT: return "does not answer: \(reason)"
        // EPROTO: libmosquitto's, for any error of OpenSSL.
        case ECONNRESET, EPIPE, EPROTO:
            return isAccepted ? reason : tls?.failure(isAnswered: false, isReset: true) ?? reason
        default: return reason
        }
    }
}

extension Client {
    /// Why there is no TCP connection; nil: there is one, or there may be one later.
    static func pendingError(of descriptor: Int32) -> Int32? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: code))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code == 0 ? nil : code
    }

    static func isConnected(_ descriptor: Int32) -> Bool {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        return withUnsafeMutablePointer(to: &peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length) == 0
            }
        }
    }
}
