/// Why a client could not be made.
package struct BusError: Error, CustomStringConvertible {
    package let call: String
    package let reason: String
    package var description: String { "MQTT: \(call): \(reason)" }
}
