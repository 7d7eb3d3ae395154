internal import CMosquitto
internal import Glibc

/// A list of MQTT 5 properties in libmosquitto's form. Its owner frees it.
struct Properties: ~Copyable {
    private(set) var list: OpaquePointer?

    init() {}

    init(_ properties: BusProperties) {
        if let type = properties.contentType { add(MQTT_PROP_CONTENT_TYPE, type) }
        if let topic = properties.responseTopic { add(MQTT_PROP_RESPONSE_TOPIC, topic) }
        if let data = properties.correlation {
            _ = mosquitto_property_add_binary(
                &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), data, UInt16(clamping: data.count))
        }
        if let seconds = properties.expiry { add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds) }
        for (name, value) in properties.user {
            _ = mosquitto_property_add_string_pair(
                &list, Int32(MQTT_PROP_USER_PROPERTY.rawValue), name, value)
        }
    }

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }

    mutating func add(_ property: mqtt5_property, _ text: String) {
        // Not the string itself: that would be copied to an array for C.
        _ = text.withCString { mosquitto_property_add_string(&list, Int32(property.rawValue), $0) }
    }

    mutating func add(_ property: mqtt5_property, _ number: UInt32) {
        _ = mosquitto_property_add_int32(&list, Int32(property.rawValue), number)
    }

    /// A text property of a received message. libmosquitto keeps the list.
    static func text(_ property: mqtt5_property, in list: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard list != nil,
            mosquitto_property_read_string(list, Int32(property.rawValue), &text, false) != nil, let text
        else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// A number; nil: the property is not there.
    ///
    /// - Parameter read: libmosquitto's function for a number of this size.
    static func number<Number: FixedWidthInteger>(
        _ property: mqtt5_property, in list: OpaquePointer?,
        _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<Number>?, Bool) -> OpaquePointer?
    ) -> Number? {
        var number: Number = 0
        return read(list, Int32(property.rawValue), &number, false) == nil ? nil : number
    }

    /// The user properties of a received message in their order, the first `limit` of them.
    static func user(in list: OpaquePointer?, limit: Int) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var place = list
        while place != nil && found.count < limit {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            // `place` is the property that was found last, which is to be skipped.
            place = mosquitto_property_read_string_pair(
                place, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, !found.isEmpty)
            defer {
                free(name)
                free(value)
            }
            guard place != nil, let name, let value else { break }
            found.append((String(cString: name), String(cString: value)))
        }
        return found
    }

    /// A binary property of a received message.
    static func bytes(_ property: mqtt5_property, in list: OpaquePointer?) -> [UInt8]? {
        var data: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        guard list != nil,
            mosquitto_property_read_binary(list, Int32(property.rawValue), &data, &count, false) != nil,
            let data
        else { return nil }
        defer { free(data) }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
    }
}
