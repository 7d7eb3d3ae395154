import Glibc
import TestSupport
import ZoomModel

/// A model with its clock and lens. Each event is compared with what the contract makes expect. It stops at
/// the first violation.
struct PropertyChecker {
    private var subject: PropertySubject
    private var lens: FakeLens
    private let kind: PropertyLens
    private let start = ZoomInstant.start
    private var now: ZoomInstant

    private(set) var violation: Violation?
    /// The published states, in order.
    private(set) var published: [ZoomState] = []
    private var lastPublished: ZoomInstant?
    private var answers: [Ticket: Int] = [:]
    private var lastTicket = 0
    private var wakes = 0
    private var reported = 1.0
    private var isMovedExternally = false
    /// Whether the lens moved in its last report.
    private var isReportedMoving = false

    private var gestures: [String: [ExpectedGesture]] = [:]
    private var touches: [String: ExpectedTouch] = [:]
    private var ramp: ExpectedRamp?
    /// What the view has to keep in place, if it is known.
    private var hold: (scene: Point, anchor: Point)?

    /// - Parameter stateRate: maximum number of states per second that a gesture causes.
    init(_ kind: PropertyLens, fault: PropertyFault? = nil, stateRate: Double = 60) {
        self.kind = kind
        lens = kind.lens
        now = start
        subject = PropertySubject(
            .init(
                range: kind.range, opticalMax: kind.opticalMax, stateRate: stateRate, aspect: kind.aspect),
            fault: fault)
        carryOut(subject.restore(at: now))
    }

    var snapshot: ZoomState { subject.snapshot }
    private var range: ZoomRange { kind.range }

    /// Applies events. Returns the number of events until a guarantee was violated; nil: none was.
    ///
    /// - Parameter note: called after each event with its index and the running pinch.
    mutating func run(
        _ events: [PropertyEvent], note: (Int, RunningGesture?) -> Void = { _, _ in }
    ) -> Int? {
        for (index, event) in events.enumerated() {
            handle(event)
            note(index, subject.runningGesture)
            check()
            pass(event.pause)
            if violation != nil { return index + 1 }
        }
        settle()
        return violation == nil ? nil : events.count
    }

    /// Runs until everything has settled, and compares the last publications with the state.
    mutating func settle() {
        if isMovedExternally { turn(to: reported, moving: false) }
        pass(.seconds(40))
        expect(.rest, subject.isSettled && subject.wake == nil, "the zoom does not settle")
        expect(.rest, !subject.isPinched, "a gesture never ends")
        // In a second: 60 steps of a ramp, 60 samples of a gesture, and a few timeouts.
        let mostWakes = start.duration(to: now) / .seconds(1) * 125 + Double(lastTicket)
        let count = wakes
        expect(.rest, Double(count) < mostWakes, "\(count) wake-ups")
        expect(.publication, published.last == snapshot, "the last state is out of date")
        expect(
            .lens, near(lens.factor(at: now), snapshot.optical), "the reported factor of the lens is wrong")
        for ticket in stride(from: 1, through: lastTicket, by: 1) {
            let count = answers[ticket, default: 0]
            expect(.answers, count == 1, "message \(ticket) was answered \(count) times")
        }
    }

    // MARK: Events

    mutating func handle(_ event: PropertyEvent) {
        gestures = gestures.filter { $0.value[0].lastSampleTime.advanced(by: .seconds(2)) > now }
        touches = touches.filter { gestures[$0.key] != nil }
        switch event.kind {
        case .command(let command): take(command, by: ClientIdentity(claimed: event.client))
        case .pinch(let sample):
            let key = "\(event.client) pinch \(sample.gesture)"
            take(sample, key) { $0.apply(sample, ticket: $1, origin: $2, at: $3) }
        case .touch(let sample):
            let key = "\(event.client) touch \(sample.gesture)"
            var touching = touches[key] ?? ExpectedTouch(aspect: kind.aspect)
            let meaning = touching.take(sample)
            touches[key] = touching
            take(meaning, key) { $0.apply(sample, ticket: $1, origin: $2, at: $3) }
            if gestures[key] == nil { touches[key] = nil }
        case .external(let optical, let moving):
            if isMovedExternally || subject.isSettled { turn(to: optical, moving: moving) }
        }
    }

    private mutating func turn(to optical: Double, moving: Bool) {
        isMovedExternally = moving
        lens.move(to: optical, at: now)
        hold = nil
        ramp?.isDisturbed = true
        let before = snapshot
        report(.moved(optical: optical, moving: moving))
        overtake(since: before, except: nil)
    }

    /// A gesture keeps its base unless something else has changed the zoom or the view. While the zoom moves,
    /// the change may be one of the movement alone, which is not visible here: then both readings are kept.
    private mutating func overtake(since before: ZoomState, except key: String?) {
        let zoom = snapshot
        let isSame =
            near(zoom.factor, before.factor) && near(zoom.target, before.target)
            && near(scenePoint(at: .middle, in: zoom), scenePoint(at: .middle, in: before))
        if isSame && !zoom.ramping && !before.ramping { return }
        for other in gestures.keys where other != key {
            gestures[other] = gestures[other]?.map {
                with($0) { if isSame { $0.isHalted = true } else { $0.isOvertaken = true } }
            }
        }
    }

    private mutating func halt(_ key: String) {
        gestures[key] = gestures[key]?.map { with($0) { $0.isHalted = true } }
    }

    private mutating func take(_ command: ZoomCommand, by client: ClientIdentity) {
        let before = snapshot
        let wasSettled = subject.isSettled
        let isDisturbed = ramp?.isDisturbed ?? false
        // The factor of a running ramp is the one of its time, even if the lens still lags behind.
        let isUnderWay = ramp.map { $0.start.advanced(by: $0.duration) > now } ?? false
        let from = isUnderWay && !isReportedMoving ? ramp?.factor(at: now) ?? before.factor : before.factor
        lastTicket += 1
        let actions = subject.apply(
            command, ticket: lastTicket, origin: Origin(client: client, kind: .command), at: now)
        overtake(since: before, except: nil)
        let target = snapshot.target
        if case .moveView(let move) = command {
            carryOut(actions)
            viewMoved(move, before)
            return
        }
        (ramp, hold) = (nil, nil)
        switch command {
        case .go(let wanted):
            let goal =
                switch wanted.target {
                case .factor(let factor): range.clamp(factor)
                case .position(let position):
                    range.clamp(range.lowerBound + position * (range.upperBound - range.lowerBound))
                case .by(let multiple): range.clamp(before.target * multiple)
                }
            expect(.command, near(target, goal), "\(command) at \(before.target) is for \(target)")
            hold = wanted.anchor.map { (scenePoint(at: $0, in: before), $0) }
            if let rate = wanted.rate, goal != from {
                ramp = ExpectedRamp(
                    ticket: lastTicket, from: from, to: goal, rate: rate, start: now, isDisturbed: isDisturbed
                )
            }
        case .move(let velocity, let time) where abs(velocity) >= 0.001:
            let goal = range.clamp(from * exp2(velocity * (time / .seconds(1))))
            expect(
                .command, near(target, goal) || !kind.isPrompt || isDisturbed,
                "\(command) from \(from) is for \(target)")
            if goal != from {
                ramp = ExpectedRamp(
                    ticket: lastTicket, from: from, to: goal, rate: abs(velocity), start: now,
                    isDisturbed: isDisturbed)
            }
        default:
            if !wasSettled { for key in gestures.keys { halt(key) } }
        }
        carryOut(actions)
        guard kind.isPrompt, ramp == nil else { return }
        expect(.command, subject.isSettled, "\(command) is not done immediately")
        if case .go = command { expect(.command, near(snapshot.factor, target), "\(command) is not done") }
        if command == .stop {
            expect(.command, near(snapshot.factor, before.factor), "a stop changes the factor")
        }
    }

    private mutating func viewMoved(_ move: ZoomCommand.ViewMove, _ before: ZoomState) {
        let place =
            switch move {
            case .at(let place): place
            case .by(let x, let y): Point(x: 0.5 + x, y: 0.5 + y)
            }
        let wanted = (scenePoint(at: place, in: before), Point.middle)
        checkView(wanted, "\(move)")
        expect(.command, snapshot.factor == before.factor, "a viewport command changes the factor")
        expect(
            .command, snapshot.target == before.target || isMovedExternally,
            "a viewport command changes the target")
        hold = nil
    }

    /// Applies a sample of a pinch or touch. Nil: a late one.
    private mutating func take(
        _ sample: PinchSample?, _ key: String,
        apply: (inout PropertySubject, Ticket, Origin, ZoomInstant) -> [ZoomAction]
    ) {
        let before = snapshot
        let wasSettled = subject.isSettled
        lastTicket += 1
        let client = key.split(separator: " ").first.map { ClientIdentity(claimed: String($0)) }
        let actions = apply(&subject, lastTicket, Origin(client: client, kind: .gesture), now)
        let target = snapshot.target
        defer { carryOut(actions) }
        let known = sample?.phase == .began ? nil : gestures[key]
        guard var sample else { return expectNothing(before, "a late message") }
        let isStale = known?.last?.isStale(sample.sequence) ?? false
        if isStale && !sample.isEnd { return expectNothing(before, "a late sample") }
        if isStale { (sample.scale, sample.anchor, sample.sequence) = (nil, nil, nil) }
        guard var readings = known, var gesture = readings.last else {
            if sample.isEnd { return expectNothing(before, "the end of no gesture") }
            let gesture = ExpectedGesture(sample, zoom: before, at: now)
            gestures[key] = [gesture]
            overtake(since: before, except: key)
            if gesture.requested != before.factor {
                let wanted = range.clamp(gesture.requested)
                expect(.start, near(target, wanted), "\(sample) at \(before.factor) is for \(target)")
                (ramp, hold) = (nil, (gesture.scene, gesture.firstAnchor))
                return
            }
            expect(.start, near(snapshot.factor, before.factor), "a beginning changes the factor")
            expect(.start, snapshot.viewport == before.viewport, "a beginning moves the view")
            if wasSettled {
                expect(.start, target == before.target, "a beginning changes the target")
            } else {
                (ramp, hold) = (nil, nil)
                for key in gestures.keys { halt(key) }
            }
            return
        }
        let liftsOnly = sample.isOnlyLiftedFingers && gesture.isRepeated(by: sample)
        if liftsOnly && (gesture.isOvertaken || gesture.isHalted) {
            gestures[key] = nil
            if gesture.isOvertaken { return expectNothing(before, "a finger that is only lifted") }
            for key in gestures.keys { halt(key) }
            (ramp, hold) = (nil, nil)
            return
        }
        if gesture.isOvertaken { readings = [] }
        if gesture.isOvertaken || gesture.isHalted {
            gesture.rebase(from: before)
            readings.append(gesture)
        }
        for index in readings.indices {
            readings[index].take(sample, zoom: before, at: now)
            (readings[index].isOvertaken, readings[index].isHalted) = (false, false)
        }
        let wanted = readings.map { range.clamp($0.requested) }
        readings.removeAll { !near(target, range.clamp($0.requested)) }
        expect(
            .sample, !readings.isEmpty,
            "\(key), \(sample.scale ?? 1) from \(before.factor), is for \(target) and not \(wanted)")
        gestures[key] = sample.isEnd ? nil : readings
        overtake(since: before, except: key)
        ramp = nil
        hold = readings.count == 1 ? readings.first.map { ($0.scene, $0.anchor ?? $0.firstAnchor) } : nil
    }

    private mutating func expectNothing(_ before: ZoomState, _ what: String) {
        expect(.sample, snapshot == before, "\(what) changes the zoom")
    }

    // MARK: Time

    private mutating func pass(_ time: Duration) {
        let end = now.advanced(by: time)
        while violation == nil, let next = [subject.wake, lens.next].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            if !lensReported() {
                wakes += 1
                carryOut(subject.advance(to: now))
                expect(.rest, subject.wake.map { $0 > now } ?? true, "a wake-up is due already")
            }
            check()
        }
        now = end
    }

    private mutating func carryOut(_ actions: [ZoomAction]) {
        for action in actions {
            switch action {
            case .driveLens(let factor):
                expect(.lens, 1...kind.opticalMax ~= factor, "the lens is to go to \(factor)")
                isMovedExternally = false
                lens.drive(to: factor, at: now)
            case .stopLens:
                isMovedExternally = false
                lens.stop(at: now)
            case .publishState:
                published.append(subject.publication())
                lastPublished = now
                expect(
                    .publication, published.last?.optical == reported,
                    "the state is older than the last report")
            case .publishLive, .publishGesture: break
            case .answer(let ticket, let answer): answered(ticket, answer)
            }
        }
        while lensReported() {}
    }

    private mutating func lensReported() -> Bool {
        guard violation == nil, let due = lens.next, due <= now else { return false }
        switch lens.report(at: now) {
        case .lens(let what): report(what)
        case .failed: carryOut(subject.lensFailed(at: now))
        }
        return true
    }

    private mutating func report(_ what: LensEvent) {
        switch what {
        case .written(let optical, let moving), .moved(let optical, let moving):
            (reported, isReportedMoving) = (optical, moving)
        case .stopped(let optical): (reported, isReportedMoving) = (optical, false)
        }
        carryOut(subject.lensReported(what, at: now))
    }

    private mutating func answered(_ ticket: Ticket, _ answer: ZoomAnswer) {
        answers[ticket, default: 0] += 1
        guard let ramp, ramp.ticket == ticket, kind.lens.speed == 0 else { return }
        self.ramp = nil
        if answer.status != .done || ramp.isDisturbed { return }
        let factor = snapshot.factor
        expect(.ramp, near(factor, ramp.to), "\(ramp) ends at \(factor)")
        let took = ramp.start.duration(to: now)
        let late = took - ramp.duration
        expect(.ramp, late > .microseconds(-1), "\(ramp) took only \(took)")
        // The last report of a slow write can wait for one more write.
        let most = kind.lens.latency * 2 + .microseconds(1)
        expect(.ramp, late < most, "\(ramp) took \(took)")
        if kind.opticalMax == 1 { expect(.ramp, factor == ramp.to, "not exactly there") }
    }

    // MARK: Guarantees at any time

    private mutating func check() {
        let zoom = snapshot
        let slack = 1 + 1e-12
        expect(
            .inRange, zoom.factor >= range.lowerBound / slack && zoom.factor <= range.upperBound * slack,
            "the factor is \(zoom.factor)")
        expect(
            .inRange, zoom.target >= range.lowerBound / slack && zoom.target <= range.upperBound * slack,
            "the target is \(zoom.target)")
        expect(.inRange, near(zoom.factor, zoom.optical * zoom.digital) && zoom.digital >= 1, "\(zoom)")
        expect(.inRange, 0...1 ~= zoom.position, "the position is \(zoom.position)")
        let view = zoom.viewport
        expect(.inRange, view.x >= 0 && view.x + view.width <= slack, "\(view)")
        expect(.inRange, view.y >= 0 && view.y + view.height <= slack, "\(view)")
        if let ramp, kind.isPrompt, !ramp.isDisturbed, !subject.isSettled {
            let behind = abs(zoom.factor / ramp.factor(at: now))
            // Between two steps of a ramp, a 60th of a second apart, the factor does not change.
            let most = exp2(ramp.rate / 60) * (1 + 1e-6)
            expect(.ramp, behind < most && behind > 1 / most, "\(ramp) is at \(zoom.factor)")
        }
        guard subject.isSettled else { return }
        expect(.rest, near(zoom.factor, zoom.target), "at rest at \(zoom.factor) and not \(zoom.target)")
        if let hold { checkView(hold, "at rest") }
        // Samples of a gesture wait for a 60th of a second after the last state.
        let mayWait =
            subject.isPinched && lastPublished.map { now < $0.advanced(by: .seconds(1.0 / 60)) } ?? false
        expect(.publication, mayWait || published.last == zoom, "\(zoom) was not published")
    }

    /// The held point is at its anchor or, if the edge of the frame prevents that, the edge is in view.
    private mutating func checkView(_ hold: (scene: Point, anchor: Point), _ when: String) {
        let zoom = snapshot
        let middle = scenePoint(at: .middle, in: zoom)
        let slack = max(0, (1 / zoom.optical - 1 / zoom.factor) / 2)
        func error(_ scene: Double, _ anchor: Double, _ center: Double) -> Double {
            let wanted = scene + (0.5 - anchor) / zoom.factor
            return abs(min(max(wanted, 0.5 - slack), 0.5 + slack) - center) * zoom.factor
        }
        let off = max(
            error(hold.scene.x, hold.anchor.x, middle.x), error(hold.scene.y, hold.anchor.y, middle.y))
        expect(.anchor, off < 1e-3, "\(when): what is held is \(off) of the view beside the fingers")
    }

    private mutating func expect(_ guarantee: Guarantee, _ isKept: Bool, _ what: @autoclosure () -> String) {
        if !isKept && violation == nil {
            violation = Violation(guarantee: guarantee, what: what() + " (\(start.duration(to: now)))")
        }
    }
}

private func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}
