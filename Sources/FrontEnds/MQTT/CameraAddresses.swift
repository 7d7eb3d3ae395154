internal import Contract
internal import Core

/// The topics of one camera, built once.
struct CameraAddresses {
    let event: String
    let image: String
    let previewFrame: String
    private let zoomSample: String
    private let states: [Channel: String]

    init(_ topics: Topics, camera: String) {
        event = topics.event(camera: camera)
        image = topics.image(camera: camera)
        zoomSample = topics.zoomLive(camera: camera)
        previewFrame = topics.previewLive(camera: camera)
        let ofNodes = Node.allCases.map { (Channel.node($0), topics.state(of: $0, camera: camera)) }
        let others = ReadOnlyState.allCases.map { (Channel.readOnly($0), topics.state($0, of: camera)) }
        states = Dictionary(uniqueKeysWithValues: ofNodes + others)
    }

    /// The topic of a channel; nil: no node has this name.
    func topic(of channel: Channel) -> String? {
        switch channel {
        case .zoomSample: zoomSample
        case .node, .readOnly: states[channel]
        }
    }
}
