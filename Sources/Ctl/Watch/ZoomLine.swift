internal import Base
package import Bus
internal import Contract
internal import Glibc

/// The zoom of one camera as one line that is updated on a terminal. Where standard output is no terminal, a
/// line for each state.
package final class ZoomLine {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let base: String
    private var facts = CameraFacts()
    private var line: PrintableLine = ""

    package init(base: String) { self.base = base }

    /// Updates the line with a message of the camera.
    package func update(with message: BusMessage) {
        guard let parts = Topics.parse(message.topic, below: base), parts.camera != nil else { return }
        facts.take(parts.path, message.payload, at: .now)
        if !isTerminal && parts.kind == .live { return }
        guard let now = facts.zoom?.line, PrintableLine(now) != line else {
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
