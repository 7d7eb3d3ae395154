internal import CameraCore
internal import Messages

/// The topics of one camera, built once.
struct CameraAddresses {
    let event: String
    let image: String
    let previewFrame: String
    private let availability: String
    private let info: String
    private let diagnostics: String
    private let zoomSample: String
    private let output: String
    private let states: [Node: String]

    init(_ topics: Topics, camera: String) {
        event = topics.event(camera: camera)
        image = topics.image(camera: camera)
        availability = topics.availability(of: camera)
        info = topics.info(of: camera)
        diagnostics = topics.diagnostics(camera: camera)
        zoomSample = topics.zoomLive(camera: camera)
        output = topics.output(camera: camera)
        previewFrame = topics.previewLive(camera: camera)
        states = Dictionary(
            uniqueKeysWithValues: Node.allCases.map { ($0, topics.state(of: $0, camera: camera)) })
    }

    /// The topic of a channel; nil: no node has this name.
    func topic(of channel: Channel) -> String? {
        switch channel {
        case .availability: availability
        case .info: info
        case .diagnostics: diagnostics
        case .zoomSample: zoomSample
        case .output: output
        case .node(let node): states[node]
        }
    }
}
