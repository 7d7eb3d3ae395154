/// A message that is sent as JSON.
///
/// Most messages are written by way of `Encodable`. Those that are sent many times a second write their
/// fields themselves, which takes a fifth of the instructions: the bytes are the same
/// (`MessageEncodersTests`).
package protocol JSONMessage: Encodable {
    func write(to json: inout JSONText)
}

extension JSONMessage {
    package func write(to json: inout JSONText) { json.write(encodable: self) }
}

extension Optional: JSONMessage where Wrapped: JSONMessage {
    package func write(to json: inout JSONText) {
        if let self { self.write(to: &json) } else { json.writeNull() }
    }
}

extension AgentInfo: JSONMessage {}
extension Availability: JSONMessage {}
extension CameraInfo: JSONMessage {}
extension CaptureState: JSONMessage {}
extension ControlsState: JSONMessage {}
extension DesiredState: JSONMessage {}
extension DiagnosticsState: JSONMessage {}
extension LeaseState: JSONMessage {}
extension MediaState: JSONMessage {}
extension OutputState: JSONMessage {}
extension PresetsState: JSONMessage {}
extension PreviewState: JSONMessage {}
extension PrivacyState: JSONMessage {}
extension RecordingState: JSONMessage {}
extension SessionState: JSONMessage {}
