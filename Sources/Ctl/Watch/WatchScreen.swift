internal import Base
internal import Bus
internal import Contract
internal import Fleet
internal import Glibc

/// `ctl watch` on a terminal: a table of the selected cameras that is updated continuously.
package final class WatchScreen {
    /// The minimum interval between two pages.
    private static let interval = Duration.milliseconds(40)

    private let options: CtlOptions
    private let surroundings: BusSurroundings
    private let session: CtlSession
    private let screen = Screen()
    private var view = FleetView()
    /// When the next page is shown; nil: when something changes.
    private var drawTime: ContinuousClock.Instant?
    /// Then the time of recordings is updated, and it is noticed when this job is the terminal's foreground
    /// job again: no signal reports that.
    private var tickTime: ContinuousClock.Instant?

    /// - Throws: `BusError` or `LoopError`.
    private init(_ options: CtlOptions) throws {
        self.options = options
        surroundings = try BusSurroundings(
            options, filters: [],
            signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT])
        let nodes = ["availability", "zoom", "recording", "desired"]
        session = CtlSession(
            options, surroundings,
            FleetNeeds(
                agent: options.agent, camera: options.camera,
                required: nodes + (options.group == nil ? [] : ["info"]), live: ["zoom/live", "event"]))
        view.title = "\(options.baseTopic)/ at \(options.endpoint)"
    }

    /// Shows the table until q, Ctrl-C or SIGTERM. The terminal is restored afterwards, also after an error.
    ///
    /// - Returns: the exit code.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package static func run(_ options: CtlOptions) throws -> Int32 {
        let watch = try WatchScreen(options)
        do throws(Ending) {
            try watch.show()
            watch.screen.leave()
            return 0
        } catch {
            watch.screen.leave()
            return watch.session.report(error)
        }
    }

    private func show() throws(Ending) {
        let limit = session.now + options.connectLimit
        while true {
            let first = session.hasConnected ? nil : limit
            switch try session.next(before: earliest(drawTime, tickTime, first)) {
            case .connection(.connected):
                // Before there was one, errors are printed on the terminal as it is.
                session.survivesLoss = true
                view.connectionError = nil
                resume()
                tickTime = session.now + .seconds(1)
            case .connection(.disconnected(let reason, _)):
                view.connectionError = "\(reason) Trying again; what is shown is from before. q quits"
                drawSoon()
            case .keys(let input): if isQuit(input) { return }
            case .signal(let signal): received(signal)
            case nil:
                if let first, first <= session.now { throw .brokerIsSilent }
            default: drawSoon()
            }
            if let drawTime, drawTime <= session.now { draw() }
            if let tickTime, tickTime <= session.now {
                resume()
                self.tickTime = session.now + .seconds(1)
            }
        }
    }

    /// - Returns: whether a key ends the program.
    private func isQuit(_ input: String) -> Bool {
        for key in WatchKey.decode(input, page: FleetView.capacity(rows: screen.size.rows)) {
            switch key {
            case .quit: return true
            case .scroll(let lines):
                view.scrolled += lines
                draw()
            }
        }
        return false
    }

    private func received(_ signal: Int32) {
        switch signal {
        case SIGWINCH: draw()
        case SIGTSTP:
            // Ctrl-Z: the terminal is restored, and its keys belong to another job from now on.
            surroundings.stopReadingKeys()
            screen.leave()
            kill(getpid(), SIGSTOP)
        default: resume()
        }
    }

    /// Takes the terminal again, unless this job continues in the background.
    private func resume() {
        guard session.hasConnected, Screen.isForeground else { return }
        screen.enter()
        if Screen.hasKeys { surroundings.readKeys() }
        draw()
    }

    private func drawSoon() { drawTime = drawTime ?? session.now + Self.interval }

    private func draw() {
        drawTime = nil
        let (columns, rows) = screen.size
        let cameras = options.group.map(session.members) ?? session.fleet.addresses
        // The terminal or the fleet may be smaller than before.
        view.scrolled = max(0, min(view.scrolled, cameras.count - FleetView.capacity(rows: rows)))
        let lines = view.lines(session.fleet, cameras, rows: rows, now: Timestamp.now)
        screen.show(lines, columns: columns, hasColours: Screen.hasColours)
    }
}
