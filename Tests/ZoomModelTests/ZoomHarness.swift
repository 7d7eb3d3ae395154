import Testing
import ZoomModel

/// A model with a clock that is turned by hand and a lens that does what it is told; it notes all that is published.
struct ZoomHarness {
    struct State {
        /// Since the harness was set up.
        let time: Duration
        let zoom: ZoomSnapshot
    }

    var model: ZoomModel
    var lens: FakeLens
    /// What went to `zoom`, to `zoom/live` and to `pinch`.
    var states: [State] = []
    var samples: [State] = []
    var gestures: [RunningGesture?] = []
    private(set) var answers: [Ticket: [ZoomAnswer]] = [:]
    /// How often the model asked to be woken, and was.
    private(set) var wakes = 0

    private let start = ContinuousClock.Instant.now
    private(set) var now: ContinuousClock.Instant
    private var lastTicket = 0

    init(_ settings: ZoomModel.Settings, lens: FakeLens = FakeLens()) {
        now = start
        self.lens = lens
        model = ZoomModel(settings, optical: lens.factor(at: start))
    }

    /// A zoom of 1 to 8, with a lens for the first part of it, or none.
    init(opticalMax: Double = 1, lens: FakeLens = FakeLens()) {
        self.init(.init(range: ZoomRange(min: 1, max: 8), opticalMax: opticalMax), lens: lens)
    }

    var factor: Double { model.snapshot.factor }
    var time: Duration { start.duration(to: now) }
    /// Where the lens really is.
    var lensFactor: Double { lens.factor(at: now) }

    func instant(_ time: Duration) -> ContinuousClock.Instant { start.advanced(by: time) }

    // MARK: What controllers send

    @discardableResult mutating func send(_ command: ZoomCommand, by client: String = "phone") -> Ticket {
        lastTicket += 1
        carryOut(
            model.apply(command, ticket: lastTicket, origin: .init(client: client, kind: .command), at: now))
        return lastTicket
    }

    @discardableResult mutating func zoom(
        to factor: Double, rate: Double? = nil, anchor: Point? = nil, by client: String = "phone"
    ) -> Ticket {
        send(.go(to: .factor(factor), rate: rate, anchor: anchor), by: client)
    }

    @discardableResult mutating func pinch(
        _ phase: PinchSample.Phase, _ scale: Double? = nil, seq: Int? = nil,
        mode: PinchSample.Mode = .cumulative,
        anchor: Point? = nil, gesture: String = "g", by client: String = "phone"
    ) -> Ticket {
        lastTicket += 1
        let sample = PinchSample(
            gesture: gesture, phase: phase, scale: scale, sequence: seq, mode: mode, anchor: anchor)
        carryOut(
            model.apply(sample, ticket: lastTicket, origin: .init(client: client, kind: .gesture), at: now))
        return lastTicket
    }

    @discardableResult mutating func send(_ sample: TouchSample, by client: String = "phone") -> Ticket {
        lastTicket += 1
        carryOut(
            model.apply(sample, ticket: lastTicket, origin: .init(client: client, kind: .gesture), at: now))
        return lastTicket
    }

    mutating func restore(_ factor: Double, center: Point = .middle) {
        carryOut(model.restore(factor: factor, center: center, at: now))
    }

    /// In another mode of the camera, the lens reaches another factor; it stays where it is as far as it can.
    mutating func reachLens(_ opticalMax: Double) {
        carryOut(model.lensReaches(opticalMax, at: now))
    }

    /// Somebody else drives the lens.
    mutating func moveLens(to optical: Double, moving: Bool = false) {
        lens.move(to: optical, at: now)
        carryOut(model.lensReported(.moved(optical: optical, moving: moving), at: now))
    }

    /// Somebody else drives the lens, whatever it was doing.
    mutating func takeLens(to optical: Double) {
        lens.move(to: optical, at: now)
        carryOut(model.lensTaken(to: optical, at: now))
    }

    /// What was last said of a pinch: whose it is, and base × scale.
    var lastGesture: String? {
        gestures.last?.map { "\($0.gesture) of \($0.client ?? "nobody"): \($0.base) × \($0.scale)" }
    }

    /// How the last message went, as far as is known.
    var lastAnswers: [ZoomAnswer] { answers[lastTicket, default: []] }
    var lastStatuses: [ZoomAnswer.Status] { statuses(lastTicket) }

    /// How a message went, as far as is known.
    func statuses(_ ticket: Ticket) -> [ZoomAnswer.Status] { answers[ticket, default: []].map(\.status) }

    // MARK: Time

    /// Lets time pass, waking the model whenever it asks for it.
    mutating func run(_ time: Duration) {
        let end = now.advanced(by: time)
        while let next = [model.wake, lens.next].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            if lensReported() { continue }
            wakes += 1
            carryOut(model.advance(to: now))
            if let wake = model.wake, wake <= now {
                Issue.record("the model asks to be woken at once, again and again")
                return
            }
        }
        now = end
    }

    /// Does what the model wants; a lens without latency reports while it is done.
    private mutating func carryOut(_ actions: [ZoomAction]) {
        for action in actions {
            switch action {
            case .driveLens(let factor):
                #expect((1...model.settings.opticalMax).contains(factor), "no place for the lens")
                lens.drive(to: factor, at: now)
            case .stopLens: lens.stop(at: now)
            case .publishState: states.append(State(time: time, zoom: model.snapshot))
            case .publishLive: samples.append(State(time: time, zoom: model.snapshot))
            case .publishGesture: gestures.append(model.runningGesture)
            case .answer(let ticket, let answer): answers[ticket, default: []].append(answer)
            }
        }
        while lensReported() {}
    }

    /// Hands the model a report that is due. Returns whether there was one.
    private mutating func lensReported() -> Bool {
        guard let due = lens.next, due <= now else { return false }
        switch lens.report(at: now) {
        case .lens(let report): carryOut(model.lensReported(report, at: now))
        case .failed: carryOut(model.lensFailed(at: now))
        }
        return true
    }
}

/// Whether two numbers are the same but for rounding.
func near(_ a: Double, _ b: Double, within tolerance: Double = 1e-9) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(a), abs(b))
}

/// The point of the scene that stands at a place in the view; the scene is what the lens sees at its widest.
func scenePoint(at place: Point, in zoom: ZoomSnapshot) -> Point {
    let view = zoom.viewport
    return Point(
        x: 0.5 + (view.x + place.x * view.width - 0.5) / zoom.optical,
        y: 0.5 + (view.y + place.y * view.height - 0.5) / zoom.optical)
}

func near(_ a: Point, _ b: Point) -> Bool { near(a.x, b.x) && near(a.y, b.y) }
