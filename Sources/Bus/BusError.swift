/// Why a client could not be made.
package struct BusError: Error, CustomStringConvertible {
    let call: String
    let reason: String
    package var description: String { "MQTT: \(call): \(reason)" }
}
