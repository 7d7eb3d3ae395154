internal import Glibc
internal import MQTTBus
internal import Messages

/// The zoom of one camera as one line that is kept up to date on a terminal; elsewhere, a line for each state.
final class ZoomLine {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var fleet: Fleet
    private var line = ""

    init(base: String) { fleet = Fleet(base: base) }

    /// Takes in a message of the camera's.
    func show(_ message: BusMessage) {
        fleet.take(message)
        if !isTerminal && message.topic.hasSuffix("/live") { return }
        guard let now = fleet.cameras.values.first?.zoom?.line, now != line else { return }
        line = now
        print(isTerminal ? "\r\u{1B}[K" + line : line, terminator: isTerminal ? "" : "\n")
        fflush(nil)
    }

    /// Leaves the terminal on a fresh line.
    func end() {
        if isTerminal { print() }
    }
}

extension ZoomState {
    private static let barWidth = 30

    /// All of it in a line.
    var line: String { "\(words) \(bar(of: Self.barWidth)) rev \(rev), \(mover)" }

    /// Where it is, and where it is going.
    var words: String { factor.asFactor + (ramping ? " → \(target.asFactor)" : "") }

    /// Who moved it last, and how.
    var mover: String {
        origin.client.map { "\($0.printable), \(origin.kind.printable)" } ?? origin.kind.printable
    }

    /// The position in the range as a bar. Anybody may have published it: what a camera can't be at isn't to end us.
    func bar(of width: Int) -> String {
        let filled = Int((Swift.min(Swift.max(position, 0), 1) * Double(width)).rounded())
        return String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    }
}

extension Double {
    /// A factor as people write it, with two digits after the point.
    var asFactor: String {
        let hundredths = Int((min(max(self, 0), 1e6) * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)×"
    }
}
