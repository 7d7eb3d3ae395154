internal import CMosquitto
internal import Glibc

extension Client {
    /// The client of libmosquitto that calls back: C functions find it in their context. It is alive, because
    /// it owns the library's object that calls.
    private static func at(_ context: UnsafeMutableRawPointer?) -> Client? {
        context.map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
    }

    func setCallbacks(of client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client) { _, context, code, _, properties in
            let limits = BrokerLimits(properties)
            if code == 0 {
                Client.at(context)?.accepted(limits)
            } else {
                Client.at(context)?.refused(code, limits)
            }
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, code, _ in
            if code < 0x80 {
                Client.at(context)?.closed(code)
            } else {
                // The broker's reason (MQTT 5, 3.14.2.1).
                Client.at(context)?.close(
                    reasonText(code), isTakeover: code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue))
            }
        }
        mosquitto_message_v5_callback_set(client) { _, context, message, properties in
            if let message = message?.pointee { Client.at(context)?.received(message, properties) }
        }
        mosquitto_publish_v5_callback_set(client) { _, context, packet, code, _ in
            // A code from 0x80 is the reason for a refusal (MQTT 5, 3.4.2.1). MQTT 3.1.1 has none.
            Client.at(context)?.append(
                .acknowledged(packet: packet, refusal: code < 0x80 ? nil : reasonText(code)))
        }
        mosquitto_subscribe_v5_callback_set(client) { _, context, packet, count, granted, _ in
            // A value from 0x80 is the reason for a refusal instead of a QoS (MQTT 5, 3.9.3; 3.1.1, 3.9.3).
            let isGranted = (0..<Int(count)).map { (granted?[$0] ?? 0) < 0x80 }
            Client.at(context)?.subscribed(packet, isGranted: isGranted)
        }
    }

    private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let topic = message.topic else { return }
        // libmosquitto frees the bytes after this call.
        let payload = UnsafeRawBufferPointer(start: message.payload, count: kept(of: Int(message.payloadlen)))
        append(
            .message(
                BusMessage(
                    topic: String(cString: topic), payload: Array(payload),
                    qos: QualityOfService(rawValue: message.qos) ?? .atMostOnce, isRetained: message.retain,
                    responseTopic: Properties.text(MQTT_PROP_RESPONSE_TOPIC, in: properties),
                    correlation: Properties.bytes(MQTT_PROP_CORRELATION_DATA, in: properties),
                    contentType: Properties.text(MQTT_PROP_CONTENT_TYPE, in: properties),
                    user: readsUserProperties
                        ? Properties.user(in: properties, limit: BusMessage.maxUserProperties) : [])))
    }
}

/// A reason code of MQTT 5 in words (2.4).
private func reasonText(_ code: Int32) -> String {
    mosquitto_reason_string(code).map { String(cString: $0) } ?? "reason \(code)"
}
