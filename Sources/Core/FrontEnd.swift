package import Contract

/// What a message of a camera is about. A front end maps each channel to its own addresses, such as MQTT
/// topics.
package enum Channel: Hashable, Sendable {
    /// The state of a node.
    case node(Node)
    /// A state without commands.
    case readOnly(ReadOnlyState)
    /// A sample between two states of `zoom`.
    case zoomSample

    package static let availability = Channel.readOnly(.availability)
    package static let info = Channel.readOnly(.info)
    package static let diagnostics = Channel.readOnly(.diagnostics)
    package static let output = Channel.readOnly(.output)
}

/// The only way out of a camera. The core encodes each message once, and the front end sends the bytes: that
/// of MQTT maps channels to topics, that of a test collects the messages.
package protocol FrontEnd: AnyObject {
    /// Whether messages are sent without delay at the moment. Producers of droppable messages check it first.
    var hasCapacity: Bool { get }

    /// Publishes a state. The newest on a channel counts, and is kept for later subscribers.
    ///
    /// - Parameters:
    ///   - state: the value that was encoded, for front ends that derive something from it.
    ///   - encoded: the state as JSON.
    func publishState(_ state: some FieldValue, encoded: [UInt8], on channel: Channel, of camera: String)

    /// Publishes an event. Each counts: events are queued while the connection is down.
    func publishEvent(_ event: Event, encoded: [UInt8], of camera: String)

    /// Publishes a message that is soon out of date. Returns whether it was sent; otherwise it is dropped.
    func publishSample(_ sample: [UInt8], on channel: Channel, of camera: String) -> Bool

    /// Publishes a frame of the preview. Returns whether it was sent; otherwise it is dropped.
    ///
    /// - Parameter frame: the JPEG file.
    func publishFrame(_ frame: [UInt8], _ fields: FrameFields, of camera: String) -> Bool

    /// Publishes a photo.
    ///
    /// - Parameter photo: the JPEG file.
    func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String)

    /// Removes the pictures of a camera that it has published: the photo that is kept for later subscribers,
    /// and photos that still wait to be sent, also as answers. A message that is published afterwards reaches
    /// no subscriber before one of these pictures.
    func withdrawPictures(of camera: String)
}

/// Where the answers to one request go. The front end that received the request makes it; nothing else looks
/// inside.
package protocol ReplyAddress: AnyObject {
    /// Whether a photo or a part of a file can be sent there as an answer of its own.
    var acceptsPhotos: Bool { get }

    /// Sends an answer, encoded as JSON.
    func send(_ reply: [UInt8])

    /// Sends a photo as the answer.
    ///
    /// - Parameters:
    ///   - photo: the JPEG file.
    ///   - id: the request's id.
    func send(photo: [UInt8], _ fields: PhotoFields, id: String?)

    /// Sends a part of a photo's or recording's file as the answer.
    ///
    /// - Parameters:
    ///   - part: the bytes, of which there may be none at the end of the file.
    ///   - id: the request's id.
    func send(part: [UInt8], _ fields: MediaPartFields, id: String?)
}

/// What a camera reports to the agent that serves it.
package protocol CameraObserver: AnyObject {
    /// Something happened in a camera that concerns more than this camera.
    func observe(_ change: CameraChange, in camera: String)
}
