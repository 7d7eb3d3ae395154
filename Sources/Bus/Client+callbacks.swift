internal import CMosquitto
internal import Glibc

extension Client {
    func setCallbacks(of client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client, onConnect)
        mosquitto_disconnect_v5_callback_set(client, onDisconnect)
        mosquitto_message_v5_callback_set(client, onMessage)
        mosquitto_publish_v5_callback_set(client, onPublish)
        mosquitto_subscribe_v5_callback_set(client, onSubscribe)
    }
}

// The callbacks: C functions that find their client in the context. It is alive, because it owns
// the library's object that calls.

private func client(_ context: UnsafeMutableRawPointer?) -> Client? {
    context.map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
}

private func onConnect(
    _: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ flags: Int32,
    _ properties: OpaquePointer?
) {
    let limits = BrokerLimits(properties)
    if code == 0 { client(context)?.accepted(limits) } else { client(context)?.refused(code, limits) }
}

private func onDisconnect(
    _: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ code: Int32, _ properties: OpaquePointer?
) {
    if code < 0x80 {
        client(context)?.closed(code)
    } else {
        // The broker's reason (MQTT 5, 3.14.2.1).
        client(context)?.close(
            reasonText(code), isTakeover: code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue))
    }
}

/// A reason code of MQTT 5 in words (2.4).
private func reasonText(_ code: Int32) -> String {
    mosquitto_reason_string(code).map { String(cString: $0) } ?? "reason \(code)"
}

private func onSubscribe(
    _: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ packet: Int32, _ count: Int32,
    _ granted: UnsafePointer<Int32>?, _ properties: OpaquePointer?
) {
    // A value from 0x80 is the reason for a refusal instead of a QoS (MQTT 5, 3.9.3; 3.1.1, 3.9.3).
    let isGranted = (0..<Int(count)).allSatisfy { (granted?[$0] ?? 0) < 0x80 }
    client(context)?.subscribed(packet, isGranted: isGranted)
}

private func onPublish(
    _: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ packet: Int32, _ code: Int32,
    _ properties: OpaquePointer?
) {
    // A code from 0x80 is the reason for a refusal (MQTT 5, 3.4.2.1). MQTT 3.1.1 has none.
    client(context)?.append(.acknowledged(packet: packet, refusal: code < 0x80 ? nil : reasonText(code)))
}

private func onMessage(
    _: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ message: UnsafePointer<mosquitto_message>?, _ properties: OpaquePointer?
) {
    guard let message = message?.pointee, let topic = message.topic else { return }
    guard let client = client(context) else { return }
    // libmosquitto frees the bytes after this call.
    let payload = UnsafeRawBufferPointer(
        start: message.payload, count: client.kept(of: Int(message.payloadlen)))
    client.append(
        .message(
            BusMessage(
                topic: String(cString: topic), payload: Array(payload),
                qos: QualityOfService(rawValue: message.qos) ?? .atMostOnce, isRetained: message.retain,
                responseTopic: Properties.text(MQTT_PROP_RESPONSE_TOPIC, in: properties),
                correlation: Properties.bytes(MQTT_PROP_CORRELATION_DATA, in: properties),
                contentType: Properties.text(MQTT_PROP_CONTENT_TYPE, in: properties),
                user: client.readsUserProperties
                    ? Properties.user(in: properties, limit: BusMessage.maxUserProperties) : [])))
}
