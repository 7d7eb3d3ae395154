internal import Base
package import Bus
internal import Contract
internal import Glibc

/// The zoom of one camera as one line that is updated on a terminal. Where standard output is no terminal, a
/// line for each state.
package final class ZoomLine {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var fleet: Fleet
    private var line: PrintableLine = ""

    package init(base: String) { fleet = Fleet(base: base) }

    /// Updates the line with a message of the camera.
    package func update(with message: BusMessage) {
        fleet.update(with: message)
        if !isTerminal && message.topic.hasSuffix("/live") { return }
        guard let now = fleet.cameras.values.first?.zoom?.line, PrintableLine(now) != line else {
            return
        }
        line = PrintableLine(now)
        if isTerminal { replaceLine(by: line) } else { printLine(line) }
    }

    /// Moves the cursor to the next line.
    package func end() {
        if isTerminal { printLine("") }
    }
}
