internal import Glibc
internal import LoopThread
internal import Messages

/// `ctl watch` on a terminal: a table of all cameras that the options name, kept up to date.
final class WatchScreen {
    /// A page is drawn at most so often.
    private static let shortest = Duration.milliseconds(40)

    private let survey: Survey
    private let screen = Screen()
    private var view = FleetView()
    private var isDrawingSoon = false
    /// There was a broker.
    private var hasBegun = false
    private var signals: Signals?

    private lazy var soon = survey.loop.timer { [weak self] in self?.draw() }
    /// For the seconds of a recording; and nobody says when a job that runs gets the terminal back.
    private lazy var tick: LoopTimer = survey.loop.timer { [weak self] in
        self?.goOn()
        self?.tick.set(after: .seconds(1))
    }

    init(_ options: BusOptions) throws {
        survey = try Survey(options, listeningTo: Fleet.nodes)
        view.title = "\(options.baseTopic)/ at \(options.host):\(options.port)"
        view.hasColours = Screen.hasColours
    }

    /// Shows the table until q, Ctrl-C or SIGTERM. However it ends, the terminal is as it was.
    func run() throws {
        signals = try Signals(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT], on: survey.loop
        ) { [weak self] in self?.received($0) }
        defer { screen.leave() }
        survey.heard = { [weak self] _ in self?.drawSoon() }
        survey.settled = { [weak self] in self?.drawSoon() }
        survey.connectionChanged = { [weak self] in self?.connectionChanged($0) }
        survey.ending = { [screen] in screen.leave() }
        try survey.run()
    }

    private func connectionChanged(_ reason: String?) {
        view.trouble = reason.map { "\($0) Trying again; what is shown is from before. q quits" }
        // Before there is a broker, what is wrong with it is said on the terminal as it is.
        if reason == nil { begin() }
        drawSoon()
    }

    private func begin() {
        hasBegun = true
        goOn()
        tick.set(after: .seconds(1))
    }

    private func listenToKeys() {
        guard Screen.hasKeys else { return }
        survey.loop.watch(STDIN_FILENO) { [weak self] _ in
            var keys = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &keys, keys.count)
            // The terminal is gone; SIGHUP says what that means.
            guard count > 0 else { self?.survey.loop.forget(STDIN_FILENO); return }
            self?.pressed(String(decoding: keys.prefix(count), as: UTF8.self))
        }
    }

    private func pressed(_ keys: String) {
        var rest = keys[...]
        while !rest.isEmpty {
            if let (key, lines) = scrolling.first(where: { rest.hasPrefix($0.key) }) {
                scroll(by: lines)
                rest.removeFirst(key.count)
            } else if rest.removeFirst().lowercased() == "q" {
                return survey.finish()
            }
        }
    }

    /// How far keys scroll: arrows as terminals send them in either mode, a page, and vi's.
    private var scrolling: [String: Int] {
        let page = FleetView.room(rows: screen.size.rows)
        return [
            "\u{1B}[A": -1, "\u{1B}OA": -1, "k": -1, "\u{1B}[B": 1, "\u{1B}OB": 1, "j": 1,
            "\u{1B}[5~": -page, "\u{1B}[6~": page,
        ]
    }

    private func scroll(by lines: Int) {
        view.scrolled += lines
        draw()
    }

    private func received(_ signal: Int32) {
        switch signal {
        case SIGWINCH: draw()
        case SIGTSTP: pause()
        case SIGCONT: goOn()
        default: survey.finish()
        }
    }

    /// Ctrl-Z: gives the terminal back, and doesn't listen there: what is typed from now on is for others.
    private func pause() {
        survey.loop.forget(STDIN_FILENO)
        screen.leave()
        kill(getpid(), SIGSTOP)
    }

    /// Takes the terminal again, unless the shell has us go on in the background.
    private func goOn() {
        guard hasBegun, Screen.isOurs else { return }
        screen.enter()
        listenToKeys()
        draw()
    }

    private func drawSoon() {
        guard !isDrawingSoon else { return }
        isDrawingSoon = true
        soon.set(after: Self.shortest)
    }

    private func draw() {
        isDrawingSoon = false
        let (columns, rows) = screen.size
        // Of the terminal or of the fleet, there may be less than before.
        view.scrolled = max(0, min(view.scrolled, survey.fleet.cameras.count - FleetView.room(rows: rows)))
        screen.show(view.lines(survey.fleet, columns: columns, rows: rows, now: Timestamp.now))
    }
}
