package import Base
internal import Bus
package import Contract
package import Ctl

/// What happens while `ctl` runs, in virtual time, and what it does.
///
/// When the script is at its end and the run is not, the run ends by ``unfinished``. A test that adds to the
/// script runs everything again: the same happens.
package final class CtlScript: Surroundings {
    package enum Event: Sendable {
        case input(BusInput)
        case wait(Duration)
        /// The next thing that is done with a local file has this result.
        case copy(CopyResult)
    }

    /// The result of what is done with the local file of a copy.
    package enum CopyResult: Sendable {
        /// The bytes that are there.
        case opened(bytes: Int)
        case appended
        case complete
        /// The hash is another one.
        case differs
        case failed(CommandError)
    }

    package enum CopyStep: Equatable {
        case open(path: String, replaces: Bool, bytes: Int)
        case restart
        case append([UInt8])
        case finish(sha256: String)
    }

    /// What a run does, in its order.
    package enum Action: Equatable {
        case publish(SentMessage)
        case printLine(String)
        case printError(String)
        case printPhoto([UInt8])
        case writePhoto([UInt8], path: String)
        case copy(CopyStep)
        case exit(code: Int32)
    }

    /// The exit code of a run that goes on when the script has ended.
    package static let unfinished = Int32.min

    package private(set) var now: ContinuousClock.Instant
    package private(set) var actions: [Action] = []
    private var events: ArraySlice<Event>

    package init(_ events: [Event], at start: ContinuousClock.Instant) {
        (self.events, now) = (events[...], start)
    }

    /// Runs something with this script.
    package func play(_ run: (any Surroundings) -> Int32) {
        let code = run(self)
        if code != Self.unfinished { actions.append(.exit(code: code)) }
    }

    package func next(before deadline: ContinuousClock.Instant?) throws(Ending) -> BusInput? {
        while let event = events.popFirst() {
            switch event {
            case .input(let input): return input
            case .copy: break
            case .wait(let duration):
                let end = now + duration
                guard let deadline, deadline <= end else {
                    now = end
                    continue
                }
                now = max(now, deadline)
                events = [.wait(now.duration(to: end))] + events
                return nil
            }
        }
        throw .exit(Self.unfinished)
    }

    package func publish(_ message: SentMessage) { actions.append(.publish(message)) }
    package func printLine(_ line: PrintableLine) { actions.append(.printLine(line.text)) }
    package func printError(_ line: PrintableLine) { actions.append(.printError(line.text)) }
    package func printPhoto(_ photo: [UInt8]) { actions.append(.printPhoto(photo)) }

    package func write(_ photo: [UInt8], to path: String) { actions.append(.writePhoto(photo, path: path)) }

    package func openCopy(
        _ path: String, replaces: Bool, bytes: Int
    ) throws(Ending) -> any CopyFile {
        let result = try result(of: .open(path: path, replaces: replaces, bytes: bytes))
        guard case .opened(let bytes) = result else { throw .exit(Self.unfinished) }
        return File(script: self, bytes: bytes)
    }

    private func result(of step: CopyStep) throws(Ending) -> CopyResult {
        actions.append(.copy(step))
        while let event = events.popFirst() {
            guard case .copy(let result) = event else { continue }
            if case .failed(let error) = result { throw .failed(error) }
            return result
        }
        throw .exit(Self.unfinished)
    }

    private final class File: CopyFile {
        private let script: CtlScript
        let bytes: Int

        init(script: CtlScript, bytes: Int) { (self.script, self.bytes) = (script, bytes) }

        func restart() throws(Ending) { _ = try script.result(of: .restart) }
        func append(_ bytes: [UInt8]) throws(Ending) { _ = try script.result(of: .append(bytes)) }

        func finish(sha256: String) throws(Ending) -> Bool {
            if case .complete = try script.result(of: .finish(sha256: sha256)) { true } else { false }
        }
    }
}
