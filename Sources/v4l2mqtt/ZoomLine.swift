internal import Glibc
internal import MQTTBus
internal import Messages

/// The zoom as one line that is kept up to date on a terminal; elsewhere, a line for each change.
final class ZoomLine {
    private static let barWidth = 30

    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var state: ZoomState?

    /// Takes in a message of a camera's.
    func show(_ message: BusMessage) {
        if message.topic.hasSuffix("/availability") {
            guard let camera = JSON.value(Availability.self, from: message.payload) else { return }
            if camera.state != .online { put("\(camera.state.rawValue) \(camera.reason?.printable ?? "")") }
        } else if message.topic.hasSuffix("/live") {
            guard let sample = JSON.value(LiveSample.self, from: message.payload), var state else { return }
            // A sample belongs to the state with the same number; an older one is late.
            guard sample.rev >= state.rev else { return }
            (state.factor, state.position) = (sample.factor, sample.position)
            if isTerminal { put(text(state)) }
        } else if let state = JSON.value(ZoomState.self, from: message.payload) {
            if let known = self.state, known.boot == state.boot, known.rev > state.rev { return }
            self.state = state
            put(text(state))
        }
    }

    /// Leaves the terminal on a fresh line.
    func end() {
        if isTerminal { print() }
    }

    private func text(_ state: ZoomState) -> String {
        let bar = state.bar(of: Self.barWidth)
        let target = state.ramping ? " → \(state.target.asFactor)" : ""
        let who = state.origin.client.map { " by \($0.printable)" } ?? ""
        return
            "\(state.factor.asFactor)\(target) \(bar) rev \(state.rev), \(state.origin.kind.printable)\(who)"
    }

    private func put(_ line: String) {
        print(isTerminal ? "\r\u{1B}[K" + line : line, terminator: isTerminal ? "" : "\n")
        fflush(nil)
    }
}
