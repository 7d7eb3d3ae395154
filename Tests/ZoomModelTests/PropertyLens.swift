import ZoomModel

/// A kind of lens and its part of the zoom.
struct PropertyLens: Sendable, CustomStringConvertible {
    let description: String
    let opticalMax: Double
    let lens: FakeLens
    var range: ZoomRange = 1...8
    var aspect = 16.0 / 9

    /// Whether each request is done before the next message.
    var isPrompt: Bool { lens.latency == .zero && lens.speed == 0 }

    static let all = [
        PropertyLens(description: "none", opticalMax: 1, lens: FakeLens()),
        PropertyLens(description: "instant", opticalMax: 2, lens: FakeLens()),
        PropertyLens(
            description: "rounding", opticalMax: 4, lens: FakeLens(step: 0.125),
            range: 1.2...7, aspect: 4.0 / 3),
        PropertyLens(description: "slow write", opticalMax: 4, lens: FakeLens(latency: .milliseconds(130))),
        PropertyLens(
            description: "moving", opticalMax: 2, lens: FakeLens(stopLatency: .milliseconds(30), speed: 1.5),
            aspect: 9.0 / 16),
        PropertyLens(
            description: "all of it", opticalMax: 3,
            lens: FakeLens(
                latency: .milliseconds(20), stopLatency: .milliseconds(5), speed: 6, step: 0.0625)),
    ]
}
