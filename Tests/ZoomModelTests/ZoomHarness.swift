import TestSupport
import Testing
import ZoomModel

/// A model with a manual clock and a simulated lens. It records everything that is published.
struct ZoomHarness {
    struct State {
        /// Time since the start of the test.
        let time: Duration
        let zoom: ZoomState
    }

    let model: HeldModel
    var lens: FakeLens
    /// The publications of `zoom`, `zoom/live` and `pinch`.
    var states: [State] = []
    var samples: [State] = []
    var gestures: [RunningGesture?] = []
    private(set) var answers: [Ticket: [ZoomAnswer]] = [:]

    private let start = ZoomInstant.start
    private(set) var now: ZoomInstant
    private var lastTicket = 0

    init(_ settings: ZoomModel.Settings, lens: FakeLens = FakeLens()) {
        now = start
        self.lens = lens
        model = HeldModel(ZoomModel(settings, optical: lens.factor(at: start)))
    }

    /// A zoom of 1 to 8. The lens provides the factors up to `opticalMax`.
    init(opticalMax: Double = 1, lens: FakeLens = FakeLens()) {
        self.init(.init(range: 1...8, opticalMax: opticalMax), lens: lens)
    }

    var factor: Double { model.snapshot.factor }
    var time: Duration { start.duration(to: now) }
    /// The real factor of the lens.
    var lensFactor: Double { lens.factor(at: now) }

    func instant(_ time: Duration) -> ZoomInstant { start.advanced(by: time) }

    // MARK: Messages of controllers

    @discardableResult mutating func send(
        _ command: ZoomCommand, by client: ClientIdentity = "phone", from start: ZoomInstant? = nil
    ) -> Ticket {
        lastTicket += 1
        carryOut(
            model.zoom.apply(
                command, ticket: lastTicket, origin: .init(client: client, kind: .command), at: now,
                from: start))
        return lastTicket
    }

    @discardableResult mutating func zoom(
        to factor: Double, rate: Double? = nil, anchor: Point? = nil, by client: ClientIdentity = "phone"
    ) -> Ticket {
        send(.go(ZoomGoal(.factor(factor), rate: rate, anchor: anchor)), by: client)
    }

    @discardableResult mutating func pinch(
        _ phase: PinchSample.Phase, _ scale: Double? = nil, seq: Int? = nil,
        mode: PinchSample.Mode = .cumulative,
        anchor: Point? = nil, revert: Bool = false, gesture: String = "g", by client: ClientIdentity = "phone"
    ) -> Ticket {
        lastTicket += 1
        let sample = PinchSample(
            gesture: gesture, phase: phase, scale: scale, sequence: seq, mode: mode, anchor: anchor,
            revert: revert)
        carryOut(
            model.zoom.apply(
                sample, ticket: lastTicket, origin: .init(client: client, kind: .gesture), at: now))
        return lastTicket
    }

    @discardableResult mutating func send(_ sample: TouchSample, by client: ClientIdentity = "phone")
        -> Ticket
    {
        lastTicket += 1
        carryOut(
            model.zoom.apply(
                sample, ticket: lastTicket, origin: .init(client: client, kind: .gesture), at: now))
        return lastTicket
    }

    mutating func restore(_ factor: Double, center: Point = .middle) {
        carryOut(model.zoom.restore(factor: factor, center: center, at: now))
    }

    /// Changes the greatest factor of the lens, as another frame format can.
    mutating func reachLens(_ opticalMax: Double) {
        carryOut(model.zoom.lensReaches(opticalMax, at: now))
    }

    /// Moves the lens externally.
    mutating func moveLens(to optical: Double, moving: Bool = false) {
        lens.move(to: optical, at: now)
        carryOut(model.zoom.lensReported(.moved(optical: optical, moving: moving), at: now))
    }

    /// Moves the lens externally, possibly during a request.
    mutating func takeLens(to optical: Double) {
        lens.move(to: optical, at: now)
        carryOut(model.zoom.lensTaken(to: optical, at: now))
    }

    /// The last published pinch: its name, client, base and scale.
    var lastGesture: String? {
        gestures.last?.map { "\($0.gesture) of \($0.client?.name ?? "unknown"): \($0.base) × \($0.scale)" }
    }

    /// The answers to the last message so far.
    var lastAnswers: [ZoomAnswer] { answers[lastTicket, default: []] }
    var lastStatuses: [ZoomAnswer.Status] { statuses(lastTicket) }

    /// The status of the answers to a message so far.
    func statuses(_ ticket: Ticket) -> [ZoomAnswer.Status] { answers[ticket, default: []].map(\.status) }

    // MARK: Time

    /// Advances the clock and calls the model when its `wake` is due.
    mutating func run(_ time: Duration) {
        let end = now.advanced(by: time)
        while let next = [model.wake, lens.next].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            if lensReported() { continue }
            carryOut(model.zoom.advance(to: now))
            if let wake = model.wake, wake <= now {
                Issue.record("wake-ups are due already, without end")
                return
            }
        }
        now = end
    }

    /// Carries out actions. A lens without latency reports during this.
    private mutating func carryOut(_ actions: [ZoomAction]) {
        for action in actions {
            switch action {
            case .driveLens(let factor):
                #expect((1...model.settings.opticalMax).contains(factor), "out of the range of the lens")
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

    /// Passes a due report to the model. Returns whether there was one.
    private mutating func lensReported() -> Bool {
        guard let due = lens.next, due <= now else { return false }
        switch lens.report(at: now) {
        case .lens(let report): carryOut(model.zoom.lensReported(report, at: now))
        case .failed: carryOut(model.zoom.lensFailed(at: now))
        }
        return true
    }
}

/// Whether two numbers are equal apart from rounding.
func near(_ a: Double, _ b: Double, within tolerance: Double = 1e-9) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(a), abs(b))
}

/// The point of the scene at a place in the view. The scene is the frame of the lens at factor 1.
func scenePoint(at place: Point, in zoom: ZoomState) -> Point {
    let view = zoom.viewport
    return Point(
        x: 0.5 + (view.x + place.x * view.width - 0.5) / zoom.optical,
        y: 0.5 + (view.y + place.y * view.height - 0.5) / zoom.optical)
}

func near(_ a: Point, _ b: Point) -> Bool { near(a.x, b.x) && near(a.y, b.y) }
