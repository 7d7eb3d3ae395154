package import Cameras
import Contract

/// Checks a camera against the contract of ``CameraBackend``: the same for each backend.
///
/// Each check opens the camera anew and closes it at its end. What broke the contract is in ``problems``,
/// with the check's name; for a random check with its seed, which repeats it.
package final class BackendConformance {
    /// A camera and its surroundings.
    package struct Subject {
        /// Opens the camera; nil: it cannot be opened.
        package var open: () -> (any CameraBackend)?
        package var now: () -> ContinuousClock.Instant
        /// Lets time pass until something is so. Returns false if it does not become so in a reasonable time.
        package var letTimePass: (_ isSo: () -> Bool) -> Bool

        package init(
            open: @escaping () -> (any CameraBackend)?, now: @escaping () -> ContinuousClock.Instant,
            letTimePass: @escaping (_ isSo: () -> Bool) -> Bool
        ) {
            (self.open, self.now, self.letTimePass) = (open, now, letTimePass)
        }
    }

    package private(set) var problems: [String] = []
    let subject: Subject

    package init(_ subject: Subject) { self.subject = subject }

    /// All checks, and a random one for each seed.
    package func run(seeds: some Sequence<UInt64>) {
        check("frames") { try frames($0) }
        check("controls") { try controls($0) }
        check("mode") { try modes($0) }
        check("lens") { try lens($0) }
        check("close") { try closing($0) }
        for seed in seeds { check("random, seed \(seed)") { try random($0, seed: seed) } }
    }

    /// What a check waited for did not come; the rest of the check makes no sense.
    struct Timeout: Error {}

    private func check(_ name: String, _ body: (BackendObserver) throws -> Void) {
        guard let camera = subject.open() else {
            return problems.append("\(name): the camera can't be opened")
        }
        let observer = BackendObserver(camera, now: subject.now)
        try? body(observer)
        if observer.life == .open { observer.close() }
        // What comes late would come now.
        let end = subject.now() + .milliseconds(20)
        _ = subject.letTimePass { subject.now() > end }
        observer.finish()
        problems += observer.problems.map { "\(name): \($0)" }
    }

    func wait(_ observer: BackendObserver, for what: String, _ isSo: () -> Bool) throws {
        if subject.letTimePass(isSo) { return }
        observer.expect(false, "\(what) did not come")
        throw Timeout()
    }

    // MARK: Frames

    private func frames(_ observer: BackendObserver) throws {
        var numbers: [Int] = []
        for _ in 0..<3 {
            let count = numbers.count
            observer.frame(after: subject.now()) { numbers.append($0.number) }
            try wait(observer, for: "a frame") { numbers.count > count }
        }
        observer.expect(numbers == numbers.sorted(), "the numbers of frames don't rise: \(numbers)")
        // One from the past, then several together whose times are not in order.
        observer.frame(after: subject.now() - .seconds(60)) { numbers.append($0.number) }
        for wait in [40, 0, 80, 20] {
            observer.frame(after: subject.now() + .milliseconds(wait)) { numbers.append($0.number) }
        }
        try wait(observer, for: "frames for all requests") { numbers.count == 8 }
    }

    // MARK: Controls

    private func controls(_ observer: BackendObserver) throws {
        let before = observer.camera.controls
        for control in before.settable.prefix(3) {
            for value in control.ends + [control.value] {
                try set([control.name: value], observer, fails: false)
            }
        }
        guard let disabled = before.first(where: { $0.disabledBecause != nil && $0.isNumber }),
            let other = before.settable.first, let value = other.ends.first(where: { $0 != other.value })
        else { return }
        try set([other.name: value, disabled.name: disabled.value], observer, fails: true)
    }

    private func set(
        _ values: [String: Control.Value], _ observer: BackendObserver, fails: Bool
    ) throws {
        var answer: CameraError??
        observer.setControls(values) { answer = .some($0) }
        try wait(observer, for: "the answer to setControls") { answer != nil }
        let isFailure = answer.flatMap { $0 } != nil
        observer.expect(isFailure == fails, "setControls(\(values)): \(String(describing: answer))")
    }

    // MARK: The mode

    private func modes(_ observer: BackendObserver) throws {
        let modes = observer.camera.smallModes
        for mode in modes {
            var isAnswered = false
            observer.setMode(mode) { error in
                isAnswered = true
                observer.expect(error == nil, "setMode(\(mode)): \(String(describing: error))")
            }
            try wait(observer, for: "the answer to setMode") { isAnswered }
            try getFrame(observer)
        }
        var answers = 0
        for mode in modes + [.impossible] + modes {
            observer.setMode(mode) { error in
                answers += 1
                observer.expect(
                    (error == nil) == (mode != .impossible), "\(mode): \(String(describing: error))")
            }
            observer.frame(after: subject.now())
        }
        try wait(observer, for: "the answers to setMode") { answers == 2 * modes.count + 1 }
        try wait(observer, for: "the frames") { !observer.hasPending }
    }

    private func getFrame(_ observer: BackendObserver) throws {
        var isGiven = false
        observer.frame(after: subject.now()) { _ in isGiven = true }
        try wait(observer, for: "a frame") { isGiven }
    }

    // MARK: The lens

    private func lens(_ observer: BackendObserver) throws {
        let longest = observer.camera.description.opticalMax
        guard longest > 1 else { return }
        for optical in [longest, 1, (1 + longest) / 2] {
            observer.driveLens(to: optical)
            try wait(observer, for: "the lens at \(optical)") { observer.lens == .still }
        }
        observer.driveLens(to: longest)
        observer.stopLens()
        try wait(observer, for: "the stop of a request") { observer.lens == .still }
        observer.driveLens(to: 1)
        try wait(observer, for: "the request") { observer.lens != .requested }
        observer.stopLens()
        try wait(observer, for: "the stop on the way") { observer.lens == .still }
    }

    // MARK: The end

    private func closing(_ observer: BackendObserver) throws {
        // Frames that are far away, so that each is pending.
        for seconds in [100, 200] { observer.frame(after: subject.now() + .seconds(seconds)) }
        for control in observer.camera.controls.settable.prefix(2) {
            observer.setControls([control.name: control.value])
        }
        for mode in observer.camera.smallModes { observer.setMode(mode) }
        observer.driveLens(to: observer.camera.description.opticalMax)
        observer.close()
        callEverything(observer)
        observer.close()
    }

    /// After the end every call is answered with `.unplugged`, and no callback comes.
    func callEverything(_ observer: BackendObserver) {
        observer.frame(after: subject.now() - .seconds(60))
        observer.frame(after: subject.now() + .milliseconds(1))
        observer.setControls([:])
        observer.setMode(observer.camera.mode)
        observer.driveLens(to: 1)
        observer.stopLens()
    }
}
