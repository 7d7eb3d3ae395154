package import Contract
package import Core

/// A message of a camera, as a front end got it.
package struct CollectedMessage: Sendable {
    package enum Kind: Sendable, Equatable {
        case state(Channel)
        case event
        case sample(Channel)
        /// A frame of the preview.
        case frame
        case photo
        /// The camera's pictures were withdrawn.
        case withdrawal
    }

    package let kind: Kind
    package let camera: String
    /// JSON, or the JPEG of a photo or of a preview's frame.
    package let bytes: [UInt8]
    /// With a photo: what is known of it.
    package var photo: PhotoFields?
    /// With a frame of the preview: what is known of it.
    package var frame: FrameFields?

    /// The message decoded; `null` also for a JPEG.
    package var json: JSONValue { JSONValue(bytes) }

    package func value<Value: Form>(_ type: Value.Type) -> Value? { JSON.value(type, from: bytes) }
}

/// A front end that keeps all messages in order.
package final class CollectingFrontEnd: FrontEnd {
    /// False: samples are dropped, as with a slow broker.
    package var hasCapacity = true
    package private(set) var messages: [CollectedMessage] = []
    /// Called with each message after it was added.
    package var collected: (CollectedMessage) -> Void = { _ in }
    private let isWritten: Bool

    /// - Parameter isWritten: whether the messages are written to the folder that `TESTS_MESSAGES_DIR`
    ///   names, if it is set. A test with many thousand messages passes false.
    package init(isWritten: Bool = true) { self.isWritten = isWritten }

    // MARK: What was collected

    /// All states on a channel, in order.
    package func states(on channel: Channel) -> [JSONValue] {
        messages.filter { $0.kind == .state(channel) }.map(\.json)
    }

    /// The last state on a channel; `null` before the first.
    package func state(on channel: Channel) -> JSONValue {
        messages.last { $0.kind == .state(channel) }?.json ?? .null
    }

    /// The last state on a channel as a value of its type; nil before the first, and for a `null`.
    package func state<State: Form>(_ type: State.Type, on channel: Channel) -> State? {
        messages.last { $0.kind == .state(channel) }?.value(type)
    }

    package func samples(on channel: Channel) -> [CollectedMessage] {
        messages.filter { $0.kind == .sample(channel) }
    }

    /// What is known of each frame of the preview.
    package var frames: [FrameFields] { messages.compactMap(\.frame) }

    /// All events in order, or those of a kind.
    package func events(_ kind: Event.Kind? = nil) -> [Event] {
        messages.filter { $0.kind == .event }.compactMap { $0.value(Event.self) }
            .filter { kind == nil || $0.event == kind }
    }

    package var photos: [PhotoFields] { messages.compactMap(\.photo) }

    /// Forgets what was collected.
    package func removeAll() { messages = [] }

    // MARK: FrontEnd

    package func publishState(
        _ state: some FieldValue, encoded: [UInt8], on channel: Channel, of camera: String
    ) {
        if isWritten { MessageFile.add(state: encoded, on: channel, of: camera) }
        add(CollectedMessage(kind: .state(channel), camera: camera, bytes: encoded))
    }

    package func publishEvent(_ event: Event, encoded: [UInt8], of camera: String) {
        if isWritten { MessageFile.add(event: encoded, of: camera) }
        add(CollectedMessage(kind: .event, camera: camera, bytes: encoded))
    }

    package func publishSample(_ sample: [UInt8], on channel: Channel, of camera: String) -> Bool {
        guard hasCapacity else { return false }
        if isWritten { MessageFile.add(state: sample, on: channel, of: camera) }
        add(CollectedMessage(kind: .sample(channel), camera: camera, bytes: sample))
        return true
    }

    package func publishFrame(_ frame: [UInt8], _ fields: FrameFields, of camera: String) -> Bool {
        guard hasCapacity else { return false }
        add(CollectedMessage(kind: .frame, camera: camera, bytes: frame, frame: fields))
        return true
    }

    package func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String) {
        add(CollectedMessage(kind: .photo, camera: camera, bytes: photo, photo: fields))
    }

    package func withdrawPictures(of camera: String) {
        add(CollectedMessage(kind: .withdrawal, camera: camera, bytes: []))
    }

    private func add(_ message: CollectedMessage) {
        messages.append(message)
        collected(message)
    }
}
