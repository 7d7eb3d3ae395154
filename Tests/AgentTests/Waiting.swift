import Base
import Logging
import Testing

let silent = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

extension EventLoop {
    /// Runs the loop until other threads have done what it waits for. Only a test that fails reaches the
    /// timeout.
    func run(until isSo: () -> Bool, _ location: SourceLocation = #_sourceLocation) {
        let end = ContinuousClock.now + .seconds(60)
        while !isSo() {
            guard .now < end else {
                Issue.record("timeout", sourceLocation: location)
                return
            }
            runOnce(timeout: .milliseconds(10))
        }
    }
}
