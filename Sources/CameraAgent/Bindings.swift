internal import LoopThread
internal import MQTTBus
package import Messages

/// A topic of the bus that is a shutter button, and what the words mean that come on it: a remote that knows nothing of us.
package struct Binding: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        case phase(PressSet.Phase)
        /// Down and up at once.
        case press
    }

    /// No wildcards.
    package var topic: String
    /// Where in a JSON object the word is, level by level; empty: the payload is the word.
    package var field: [String]
    package var events: [String: Event]
    package var button: PressSet.Button
    /// Nobody looks at the camera when pressing it.
    package var isRemote: Bool

    package init(
        topic: String, field: [String], events: [String: Event], button: PressSet.Button, isRemote: Bool
    ) {
        (self.topic, self.field, self.events) = (topic, field, events)
        (self.button, self.isRemote) = (button, isRemote)
    }

    /// The phases that a payload stands for; none: it is about something else, such as the remote's battery.
    func phases(in payload: [UInt8]) -> [PressSet.Phase] {
        guard let word = RemoteWord(in: payload, field: field)?.text else { return [] }
        return switch events[word] {
        case .phase(let phase): [phase]
        case .press: [.began, .ended]
        case nil: []
        }
    }
}

/// A binding, and the camera whose button it is.
struct BoundButton {
    let camera: Camera
    let binding: Binding
}

extension Agent {
    /// A message of somebody's remote.
    func pressed(_ buttons: [BoundButton], _ message: BusMessage) {
        // What a broker remembers is no finger on a button.
        if message.isRetained { return }
        buttons: for button in buttons {
            for phase in button.binding.phases(in: message.payload) {
                let camera = button.camera
                var asker = Asker(message, topic: topics.command(for: .capture, camera: camera.id))
                asker.responseTopic = nil
                (asker.camera, asker.node) = (camera.id, Node.capture.rawValue)
                asker.envelope = Envelope(client: button.binding.topic.ending(64))
                let press = PressSet(phase, button.binding.button, isRemote: button.binding.isRemote)
                // Of a press, which is two phases, one answer is enough.
                if let problem = isStopping ? Self.stopping : camera.presence.problem {
                    refuse(problem, asker)
                    continue buttons
                }
                let isEnd = camera.shutter.isEnd(press, by: asker.envelope.client)
                switch isEnd ? .permitted : limits.verdict(on: asker.envelope.client, at: loop.now) {
                case .permitted: camera.handle(.press(press), asker)
                case .refused:
                    refuse(tooMany(asker.envelope.client), asker)
                    continue buttons
                case .dropped: continue buttons
                }
            }
        }
    }
}
