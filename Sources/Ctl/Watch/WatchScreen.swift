internal import Base
internal import Bus
internal import Contract
internal import Glibc

/// `ctl watch` on a terminal: a table of the selected cameras that is updated continuously.
package final class WatchScreen {
    /// The minimum interval between two pages.
    private static let interval = Duration.milliseconds(40)

    private let observer: BusObserver
    private let options: CtlOptions
    private let screen = Screen()
    private var view = FleetView()
    private var isDrawDue = false
    /// There was a connection. Before that, errors are printed on the terminal as it is.
    private var wasConnected = false
    private var error: CommandError?
    private var signals: Signals?

    private lazy var drawTimer = observer.loop.timer { [weak self] in self?.draw() }
    /// Updates the time of recordings, and notices when this job is the terminal's foreground job again: no
    /// signal reports that.
    private lazy var tick: LoopTimer = observer.loop.timer { [weak self] in
        self?.resume()
        self?.tick.set(after: .seconds(1))
    }

    /// - Throws: `BusError` or `LoopError`.
    package init(_ options: CtlOptions) throws {
        self.options = options
        observer = try BusObserver(options, nodes: Fleet.nodes)
        view.title = "\(options.baseTopic)/ at \(options.endpoint)"
    }

    /// Shows the table until q, Ctrl-C or SIGTERM. The terminal is restored afterwards, also after an error.
    ///
    /// - Returns: the exit code.
    package func run() throws -> Int32 {
        signals = try Signals(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT], on: observer.loop
        ) { [weak self] in self?.received($0) }
        observer.perform = { [weak self] in self?.perform($0) }
        observer.run()
        screen.leave()
        guard let error else { return 0 }
        printFailure(error, options)
        return 1
    }

    private func perform(_ action: FleetObservation.Action) {
        switch action {
        case .connected:
            view.connectionError = nil
            wasConnected = true
            resume()
            tick.set(after: .seconds(1))
            drawSoon()
        case .disconnected(let reason):
            view.connectionError = "\(reason) Trying again; what is shown is from before. q quits"
            drawSoon()
        case .received, .settled: drawSoon()
        case .ask: break
        case .failed(let error):
            self.error = error
            observer.stop()
        }
    }

    private func readKeys() {
        guard Screen.hasKeys else { return }
        observer.loop.watch(STDIN_FILENO) { [weak self] _ in
            var input = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &input, input.count)
            // End of file: the terminal is gone. SIGHUP ends the process if its session has ended.
            guard count > 0 else { self?.observer.loop.unwatch(STDIN_FILENO); return }
            self?.pressed(String(decoding: input.prefix(count), as: UTF8.self))
        }
    }

    private func pressed(_ input: String) {
        for key in WatchKey.decode(input, page: FleetView.capacity(rows: screen.size.rows)) {
            switch key {
            case .quit: return observer.stop()
            case .scroll(let lines):
                view.scrolled += lines
                draw()
            }
        }
    }

    private func received(_ signal: Int32) {
        switch signal {
        case SIGWINCH: draw()
        case SIGTSTP: suspend()
        case SIGCONT: resume()
        default: observer.stop()
        }
    }

    /// Ctrl-Z: restores the terminal and stops reading keys, which belong to another job from now on.
    private func suspend() {
        observer.loop.unwatch(STDIN_FILENO)
        screen.leave()
        kill(getpid(), SIGSTOP)
    }

    /// Takes the terminal again, unless this job continues in the background.
    private func resume() {
        guard wasConnected, Screen.isForeground else { return }
        screen.enter()
        readKeys()
        draw()
    }

    private func drawSoon() {
        guard !isDrawDue else { return }
        isDrawDue = true
        drawTimer.set(after: Self.interval)
    }

    private func draw() {
        isDrawDue = false
        let (columns, rows) = screen.size
        let fleet = observer.observation.fleet
        // The terminal or the fleet may be smaller than before.
        view.scrolled = max(0, min(view.scrolled, fleet.cameras.count - FleetView.capacity(rows: rows)))
        let lines = view.lines(fleet, columns: columns, rows: rows, now: Timestamp.now)
        screen.show(lines, columns: columns, hasColours: Screen.hasColours)
    }
}
