internal import Bus
internal import Contract

/// The topics of all cameras below a base topic that are no states, as a controller sees them.
struct CameraTopics {
    let base: String

    func pictureFilter(of camera: CameraAddress) -> BusFilter {
        BusFilter("\(base)/\(camera)/preview/live", .newOnly, qos: .atMostOnce)
    }

    /// - Parameter account: the end of the topic, which proves the sender; nil: it has none.
    func command(_ camera: CameraAddress, _ node: String, account: String?) -> String {
        "\(base)/\(camera)/\(node)/set" + (account.map { "/\($0)" } ?? "")
    }
}
