import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// A simulated camera in virtual time, and a controller that waits for each final answer.
///
/// By default the lens reaches factor 2 and arrives immediately; the crop does the rest up to factor 8.
struct ZoomBench {
    let bench: CameraBench

    init(
        _ device: SimulationSettings = .init(opticalMaximum: 2, width: 64, height: 36),
        settings: CameraSettings = CameraSettings(), zoom: ZoomSettings = ZoomSettings(),
        saved: SavedCamera = SavedCamera()
    ) {
        bench = CameraBench(settings, zoom: zoom, saved: saved)
        bench.attach(simulated: device)
        bench.advance(by: Self.interval)
    }

    /// Longer than the minimum interval between two states during a gesture.
    static let interval = Duration.milliseconds(20)

    // MARK: Commands

    /// Sends a command, and returns its answers so far.
    @discardableResult func send(_ node: Node, _ command: String) -> CollectingReplyAddress {
        bench.send(node, command)
    }

    /// Lets time pass until the final answer to a command, at most two minutes, and until the state is
    /// published.
    func result(_ request: CollectingReplyAddress) -> JSONValue {
        let end = bench.time + .seconds(120)
        while !request.isFinished && bench.time < end { bench.advance(by: Self.interval) }
        bench.advance(by: Self.interval)
        return answers(to: request).last ?? .null
    }

    /// The answers as JSON, without photos.
    func answers(to request: CollectingReplyAddress) -> [JSONValue] {
        request.answers.compactMap { if case .reply(let bytes) = $0 { JSONValue(bytes) } else { nil } }
    }

    /// Sends a command whose final answer has to be `done`, and returns that answer.
    @discardableResult func done(
        _ node: Node, _ command: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let answer = result(send(node, command))
        #expect(answer["status"] == "done", "\(node) \(command): \(answer)", sourceLocation: sourceLocation)
        return answer
    }

    /// Sends a command that has to be refused with this code, because of this field; returns the error.
    @discardableResult func refused(
        _ node: Node, _ command: String, _ code: CommandError.Code, field: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let answer = result(send(node, command))
        let error = answer["error"]
        #expect(
            answer["status"] == "error" && error["code"] == .text(code.rawValue)
                && (field == nil || error["field"].text == field),
            "\(node) \(command): \(answer)", sourceLocation: sourceLocation)
        return error
    }

    /// Jumps to a factor and returns the state.
    @discardableResult func zoom(
        to factor: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        done(.zoom, #"{"factor": \#(factor)}"#, sourceLocation: sourceLocation)
        #expect(zoom["factor"] == .number(factor), sourceLocation: sourceLocation)
        return zoom
    }

    // MARK: What was published

    /// The last state of `zoom`.
    var zoom: JSONValue { bench.state(.zoom) }

    /// All samples of `zoom/live`.
    var samples: [JSONValue] { bench.frontEnd.samples(on: .zoomSample).map(\.json) }

    /// A time of day relative to the present.
    func timestamp(after time: Duration) -> String {
        Timestamp.text(CameraBench.epoch.addingTimeInterval((bench.time + time) / .seconds(1)))
    }
}

extension JSONValue {
    /// Numbers in messages are rounded to a millionth.
    func isNear(_ expected: Double) -> Bool { number.map { abs($0 - expected) < 1e-5 } ?? false }
}

/// A pinch of one controller. `fields` are JSON members of each message, with a comma at the end.
struct PinchSteps {
    let camera: ZoomBench
    var name = "g"
    var fields = ""

    func command(_ phase: String, scale: Double? = nil, _ other: String = "") -> String {
        let scale = scale.map { #", "scale": \#($0)"# } ?? ""
        return #"{\#(fields)"gesture": "\#(name)", "phase": "\#(phase)"\#(scale)\#(other)}"#
    }

    /// Sends a step and returns its answer. `other` are further JSON members, with a comma before each; if
    /// there is no `id` among them, one is added.
    @discardableResult func step(
        _ phase: String, scale: Double? = nil, _ other: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let answer = camera.done(
            .pinch, command(phase, scale: scale, other.withID), sourceLocation: sourceLocation)
        #expect(answer["factor"] == camera.zoom["factor"], sourceLocation: sourceLocation)
        return answer
    }
}

extension String {
    /// These JSON members, and an id. Samples of a gesture are answered only if they have one; they may share
    /// it.
    fileprivate var withID: String { contains(#""id""#) ? self : self + #", "id": "step""# }
}
