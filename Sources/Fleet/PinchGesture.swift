package import Contract
internal import Glibc

/// The samples of a pinch that takes some time, as a touch screen would send them.
package struct PinchGesture: Sendable {
    /// Samples per second.
    private static let rate = 60.0
    package static let interval = Duration.seconds(1 / rate)

    private let name: String
    private let scale: Double
    private let anchor: JSON?
    /// The number of `changed` samples.
    package let steps: Int

    /// - Parameters:
    ///   - name: the gesture's id, which all of its samples have.
    ///   - scale: the scale at the end, above 0.
    ///   - milliseconds: how long the gesture takes.
    ///   - anchor: the point between the fingers, in fractions of the view, as JSON.
    package init(name: String, scale: Double, milliseconds: Int, anchor: JSON?) {
        (self.name, self.scale, self.anchor) = (name, scale, anchor)
        steps = max(1, Int(Double(milliseconds) / 1000 * Self.rate))
    }

    /// Sample 0 is `began`, samples up to `steps` are `changed`, the one after them is `ended`. The scale
    /// grows exponentially.
    package func sample(_ number: Int) -> JSONObject {
        let scale = number == 0 ? nil : pow(scale, Double(min(number, steps)) / Double(steps))
        return [
            "anchor": anchor, "gesture": .text(name),
            "phase": .text(number == 0 ? "began" : number > steps ? "ended" : "changed"),
            "scale": scale.map(JSON.number), "seq": .integer(number),
        ]
    }
}
