internal import CameraCore
internal import Clients
internal import MQTTBus
internal import Messages
internal import Settings

/// What a message of a remote button does to one camera.
struct RemotePress {
    let camera: Camera
    /// The end of the button's topic is the client's name.
    let envelope: Envelope
    /// The phases of the press, in order.
    let commands: [PressSet]
}

/// The topics that act as shutter buttons, and the meaning of the words on them. Their senders need no
/// knowledge of cameras.
struct RemoteButtons {
    private struct BoundButton {
        let camera: Camera
        let button: RemoteButton
    }

    private var buttons: [String: [BoundButton]] = [:]

    init(_ cameras: [Camera]) {
        for camera in cameras {
            for button in camera.settings.shutter.buttons {
                buttons[button.topic, default: []].append(BoundButton(camera: camera, button: button))
            }
        }
    }

    func isButton(_ topic: String) -> Bool { buttons[topic] != nil }

    /// The presses that a message stands for. Empty: it reports something else, such as the state of a
    /// battery.
    func presses(of message: BusMessage) -> [RemotePress] {
        (buttons[message.topic] ?? []).compactMap { bound in
            let button = bound.button
            let phases = button.phases(in: message.payload)
            if phases.isEmpty { return nil }
            return RemotePress(
                camera: bound.camera,
                envelope: Envelope(client: ClientIdentity(claimed: button.topic.ending(64))),
                commands: phases.map {
                    PressSet($0, button.role == .primary ? .primary : .secondary, isRemote: button.isRemote)
                })
        }
    }
}

extension RemoteButton {
    /// The phases that a payload stands for.
    func phases(in payload: [UInt8]) -> [PressSet.Phase] {
        guard let word = RemoteWord(in: payload, field: field)?.text else { return [] }
        if press.contains(word) { return [.began, .ended] }
        if began.contains(word) { return [.began] }
        if ended.contains(word) { return [.ended] }
        return cancelled.contains(word) ? [.cancelled] : []
    }
}
