/// Why a client could not be made, or a message could not be sent.
package struct BusError: Error, CustomStringConvertible {
    let call: String
    let reason: String
    package var description: String { "MQTT: \(call): \(reason)" }
}
