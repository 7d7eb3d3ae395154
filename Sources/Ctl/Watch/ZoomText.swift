internal import Contract
internal import ZoomModel

extension Stamped<ZoomState> {
    /// The zoom in one line.
    var line: String {
        "\(value.factorText) \(value.bar(width: 30)) rev \(stamp.rev), \(originText)"
    }

    /// The client that moved the zoom last, and how.
    var originText: String {
        guard let origin = stamp.origin else { return Origin.Kind.external.rawValue }
        return origin.client.map { "\($0.name), \(origin.kind.rawValue)" } ?? origin.kind.rawValue
    }
}

extension ZoomState {
    /// The factor, and the target while the zoom is moving.
    var factorText: String { factor.zoomText + (ramping ? " → \(target.zoomText)" : "") }

    /// The position in the range as a bar. Any client can publish a state, so the value may be outside the
    /// range.
    func bar(width: Int) -> String {
        let filled = Int((Swift.min(Swift.max(position, 0), 1) * Double(width)).rounded())
        return String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    }
}

extension Double {
    /// A zoom factor with two digits after the point.
    fileprivate var zoomText: String {
        let hundredths = Int((min(max(self, 0), 1e6) * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)×"
    }
}
