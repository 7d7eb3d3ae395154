import Core
import TestSupport

@testable import Contract

extension CollectingReplyAddress {
    /// The last answer, for tests that look at single fields.
    var message: JSONValue {
        if case .reply(let bytes) = answers.last { JSONValue(bytes) } else { .null }
    }

    /// The code of the error, and the field that it names.
    var refusal: Refusal? { error.map { Refusal($0.code, $0.field) } }
}

struct Refusal: Equatable {
    let code: CommandError.Code
    let field: String?

    init(_ code: CommandError.Code, _ field: String? = nil) { (self.code, self.field) = (code, field) }
}

extension CameraBench {
    /// Sends a command, lets time pass until it has its final answer, and returns that.
    @discardableResult
    func outcome(
        of node: Node, _ json: String, within limit: Duration = .seconds(30)
    ) -> CollectingReplyAddress {
        let address = send(node, json)
        let end = time + limit
        while !address.isFinished, time < end { advance(by: .milliseconds(10)) }
        return address
    }

    /// The state file's part of this camera, as the next run reads it: written and read again.
    var savedState: SavedCamera? { JSON.value(SavedCamera.self, from: JSON.bytes(saved)) }
}

/// The middle of the view in the widest field of the lens, as a fraction of it.
func middle(of zoom: JSONValue) -> (x: Double, y: Double) {
    let view = zoom["viewport"]
    let optical = zoom["optical"].number ?? 1
    func place(_ start: Double?, _ size: Double?) -> Double {
        0.5 + ((start ?? 0) + (size ?? 0) / 2 - 0.5) / optical
    }
    return (
        place(view["x"].number, view["width"].number), place(view["y"].number, view["height"].number)
    )
}

/// Whether two numbers differ by less than a rounding of the messages.
func isNear(_ number: Double?, _ other: Double, within tolerance: Double = 0.001) -> Bool {
    number.map { abs($0 - other) <= tolerance } ?? false
}
