import TestSupport
import Testing

@testable import Contract
@testable import Settings

/// A shutter button of one client.
struct ShutterButton {
    let bench: CameraBench
    let client: String
    var button = ButtonRole.primary
    var isRemote = false

    /// How long a press waits for the exposure to settle, when the light doesn't change, and a little more.
    static let settling = Duration.milliseconds(300)

    @discardableResult func send(
        _ phase: PressSet.Phase, id: String? = nil, form: String? = nil, acceptsPhotos: Bool = true
    ) -> CollectingReplyAddress {
        var fields = [#""phase": "\#(phase)", "button": "\#(button)", "client": "\#(client)""#]
        if isRemote { fields.append(#""remote": true"#) }
        if let id { fields.append(#""id": "\#(id)""#) }
        if let form { fields.append(form) }
        return bench.send(
            .capture, "{\(fields.joined(separator: ", "))}", acceptsPhotos: acceptsPhotos)
    }

    /// Presses the button, and waits until the camera is ready.
    func press(sourceLocation: SourceLocation = #_sourceLocation) {
        let began = send(.began)
        if began.statuses == [.accepted] { bench.advance(by: Self.settling) }
        #expect(began.final?.status == .done, sourceLocation: sourceLocation)
    }

    /// Releases the button, and returns the answer once it is done.
    @discardableResult func release(
        _ phase: PressSet.Phase = .ended, sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let ended = send(phase)
        bench.advance(by: .milliseconds(100))
        #expect(ended.final?.status == .done, sourceLocation: sourceLocation)
        return ended.lastMessage
    }

    /// The events of a kind that this client caused.
    func events(_ kind: String) -> [JSONValue] {
        bench.eventMessages(kind).filter { $0["client"] == .text(client) }
    }
}

extension CameraBench {
    /// A bench with a device and these shutter buttons.
    static func shutter(
        _ shutter: ShutterSettings = ShutterSettings(longPress: nil),
        recordings: RecordingSettings = RecordingSettings()
    ) -> CameraBench {
        let bench = CameraBench(CameraSettings(shutter: shutter), recordings: recordings)
        bench.attach()
        return bench
    }

    /// The buttons that the state shows as held down.
    var pressedButtons: JSONValue { state(.capture)["pressed"] }
}
