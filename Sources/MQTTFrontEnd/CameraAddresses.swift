internal import CameraCore
internal import Messages

/// The topics of one camera, built once.
struct CameraAddresses {
    let event: String
    let image: String
    private let channels: [Channel: String]

    init(_ topics: Topics, camera: String) {
        event = topics.event(camera: camera)
        image = topics.image(camera: camera)
        var channels: [Channel: String] = [
            .availability: topics.availability(of: camera), .info: topics.info(of: camera),
            .diagnostics: topics.diagnostics(camera: camera), .zoomSample: topics.live(camera: camera),
            .previewFrame: topics.preview(camera: camera),
        ]
        for node in Node.allCases { channels[.node(node)] = topics.state(of: node, camera: camera) }
        self.channels = channels
    }

    /// The topic of a channel. Every channel has one.
    func topic(of channel: Channel) -> String { channels[channel] ?? "" }
}
