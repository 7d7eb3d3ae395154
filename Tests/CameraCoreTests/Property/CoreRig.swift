import Base
import Core
import TestSupport

@testable import Cameras
@testable import Contract
@testable import Settings

/// A camera to which events happen, and the checks of what it does. It stops at the first broken invariant.
final class CoreRig {
    private let bench: CameraBench
    private let plant: PlantedFault?
    private let isWritten: Bool
    /// The camera has H.264 beside JPEGs.
    private let hasVideo: Bool
    private var watch: CoreWatch
    private(set) var breach: CoreBreach?
    private var requests: [WatchedRequest] = []
    private var device: MisbehavingCamera?
    private var gone: [MisbehavingCamera] = []
    private var held: Set<ScriptedCamera.Operation> = []
    private var failures: [ScriptedCamera.Operation: CameraError] = [:]
    private var isStopping = false
    private var isStopped = false
    /// The disk took the state of the stop: a disk that recovers later gets none from the camera.
    private var storesLastState = true
    /// The disk has hung at some time: answers may have waited for it.
    private var wasDiskHeld = false

    /// A ramp may come to its end, and leases and gestures may expire.
    private static let maxTurnsAfterStop = 2_000
    /// Computed: in a global variable, the leak detector does not find the pointer among the bits of an
    /// enumeration.
    private static var picture: Picture { ScriptedCamera.gray(ScriptedCamera.smallest) }

    init(_ configuration: CoreConfiguration, _ plant: PlantedFault?, isWritten: Bool = false) {
        var settings = CameraSettings()
        settings.external = configuration.reasserts ? .reassert : .follow
        settings.microphone = configuration.hasMicrophone ? "hw:0" : nil
        if configuration.recordsByButton { settings.shutter.secondary = .record }
        if !configuration.hasLongPress { settings.shutter.longPress = nil }
        bench = CameraBench(
            settings, recordings: RecordingSettings(maximumSeconds: 4),
            standingPreviewRate: configuration.standingPreviewRate, isWritten: isWritten)
        (self.plant, self.isWritten, hasVideo) = (plant, isWritten, configuration.hasVideo)
        watch = CoreWatch(plant)
        bench.timersSpin = { [weak self] in self?.broke(.timers, "timers fire without end") }
        bench.frontEnd.collected = { [weak self] in self?.published($0) }
        bench.observer.observed = { [weak self] in self?.observed($0) }
        bench.media.files = ["a.jpg": [1, 2], "b.jpg": [3], "c.mp4": []]
        bench.media.beginsRecording = { [weak self] in self?.recordingBegins() }
        bench.media.frameRepeated = { [weak self] in
            self?.broke(.completions, "a recording gets a frame again")
        }
    }

    /// Lets the events happen, then lets all come to its end, and stops. Returns the broken invariant.
    func run(_ events: [CoreEvent]) -> CoreBreach? {
        for event in events where breach == nil {
            perform(event)
            check()
        }
        if breach == nil && !isStopping { settle() }
        if breach == nil { stop() }
        bench.frontEnd.collected = { _ in }
        if breach != nil { letGo() }
        return breach
    }

    /// What is held refers to the camera.
    private func letGo() {
        for operation in ScriptedMedia.Operation.allCases { bench.media.held.remove(operation) }
        releaseAll()
        for device in gone + [device].compactMap(\.self) { device.answerLate() }
    }

    // MARK: Events

    private func perform(_ event: CoreEvent) {
        switch event {
        case .request(let node, let json, let acceptsPhotos): send(node, json, acceptsPhotos)
        case .attach(let opticalMax, let faults): attach(opticalMax, faults)
        case .detach(let absence): detach(absence)
        case .hold(let operation): hold(operation)
        case .release(let operation, let isLast): release(operation, isLast)
        case .holdMedia(let operation): bench.media.held.insert(operation)
        case .releaseMedia(let operation, let isLast): releaseMedia(operation, isLast)
        case .fail(let operation, let error):
            failures[operation] = error
            device?.inner.failures = failures
        case .failMedia(let operation, let error): bench.media.failures[operation] = error
        case .failThreads(let error): bench.media.beginFailure = error
        case .unplugDuring(let operation):
            device?.inner.fail(operation, with: .unplugged)
            detach(.unplugged)
        case .beginMoving: device?.inner.release(.lens, moving: true)
        case .lens(let report): if (device?.description.opticalMax ?? 1) > 1 { device?.inner.report(report) }
        case .turnControl(let name, let value): device?.inner.change(name, to: .number(value))
        case .answerLate: for device in gone { device.answerLate() }
        case .fillRecording: bench.media.recordings.last?.fill()
        case .capacity(let has): bench.frontEnd.hasCapacity = has
        case .holdDisk(let isHeld):
            if isHeld { wasDiskHeld = true }
            bench.storage.isHeld = isHeld
            if !isHeld { bench.storage.complete() }
        case .failDisk(let error): bench.storage.error = error
        case .pass(let time): bench.advance(by: time)
        case .beginStop: beginStop()
        case .finishStop: finishStop()
        }
    }

    private func send(_ node: Node, _ template: String, _ acceptsPhotos: Bool) {
        var json = template
        if json.contains("$") {
            json = json.replacing("$REV", with: "\(bench.camera.context.rev)")
                .replacing("$NOW", with: bench.timestamp).replacing("$PAST", with: "2026-01-01T00:00:00Z")
                .replacing("$SOON", with: bench.timestamp(after: .milliseconds(700)))
        }
        let address = CollectingReplyAddress(
            node, camera: bench.camera.id, acceptsPhotos: acceptsPhotos, isWritten: isWritten)
        let payload = [UInt8](json.utf8)
        let request = WatchedRequest(node, json, address, Command(for: node, payload: payload))
        requests.append(request)
        address.answered = { [weak self, weak request] answer in
            guard let self, let request else { return }
            answered(request, answer)
        }
        bench.send(node, payload, to: plant?.address(around: address) ?? address)
    }

    private func attach(_ opticalMax: Double, _ faults: Set<MisbehavingCamera.Fault>) {
        bench.source.reopens = { [weak self] in self?.newDevice(opticalMax, faults) }
        bench.source.attach(newDevice(opticalMax, faults))
    }

    private func newDevice(
        _ opticalMax: Double, _ faults: Set<MisbehavingCamera.Fault>
    ) -> MisbehavingCamera {
        let inner = ScriptedCamera(
            description: hasVideo
                ? .scriptedVideo(opticalMax: opticalMax) : .scripted(opticalMax: opticalMax), on: bench.loop)
        inner.frameInterval = .milliseconds(40)
        let video = ScriptedVideo(on: bench.loop)
        inner.picture = { [hasVideo] in hasVideo ? video.picture($0) : Self.picture }
        (inner.held, inner.failures) = (held, failures)
        let device = MisbehavingCamera(inner, faults)
        device.setModeCalled = { [weak self] in self?.modeIsSet($0) }
        if plant == .misreportsTheLens { device.misreport = 0.1 }
        if plant == .repeatsFrames { device.frameNumber = 1 }
        removeDevice()
        self.device = device
        return device
    }

    private func detach(_ absence: CameraAbsence) {
        removeDevice()
        bench.source.detach(absence)
    }

    private func removeDevice() {
        if let device { gone.append(device) }
        device = nil
    }

    private func hold(_ operation: ScriptedCamera.Operation) {
        held.insert(operation)
        device?.inner.held = held
    }

    private func release(_ operation: ScriptedCamera.Operation, _ isLast: Bool) {
        if isLast || operation == .frame {
            held.remove(operation)
            device?.inner.held = held
        }
        guard operation != .frame, let inner = device?.inner else { return }
        while inner.release(operation), isLast {}
    }

    private func releaseMedia(_ operation: ScriptedMedia.Operation, _ isLast: Bool) {
        if isLast { bench.media.held.remove(operation) }
        while bench.media.release(operation), isLast {}
    }

    // MARK: The end

    /// Everything is released, the device is there and works: within a limited time no request waits any
    /// more.
    private func settle() {
        (held, failures) = ([], [:])
        (bench.media.held, bench.media.failures, bench.media.beginFailure) = ([], [:], nil)
        bench.frontEnd.hasCapacity = true
        (bench.storage.isHeld, bench.storage.error) = (false, nil)
        bench.storage.complete()
        device?.inner.held = []
        device?.inner.failures = [:]
        if device == nil { attach(4, []) }
        send(.privacy, "OFF", true)
        for _ in 0..<70 where breach == nil {
            releaseAll()
            bench.advance(by: .seconds(1))
        }
        bench.advance(by: .seconds(600))
        check()
        for request in requests where !request.isComplete {
            return broke(.answers, "no final answer to \(request)")
        }
    }

    private func releaseAll() {
        for _ in 0..<1_000 {
            var isDone = true
            for operation in ScriptedCamera.Operation.allCases where operation != .frame {
                if device?.inner.release(operation) ?? false { isDone = false }
            }
            for operation in ScriptedMedia.Operation.allCases where bench.media.release(operation) {
                isDone = false
            }
            if isDone { break }
        }
        // A lens that moves arrives.
        if let device, bench.camera.isMoving {
            device.inner.report(.moved(optical: device.description.optical, moving: false))
        }
    }

    private func beginStop() {
        if isStopping { return }
        isStopping = true
        bench.camera.beginStop()
    }

    private func finishStop() {
        if isStopped { return }
        beginStop()
        storesLastState = bench.storage.error == nil
        bench.camera.finishStop()
        bench.camera.abandonSaves()
        isStopped = true
        checkAnswersAtStop()
    }

    /// Stops; what was pending is answered late. Afterwards nothing is published.
    private func stop() {
        finishStop()
        check()
        held = []
        bench.media.held = []
        device?.inner.held = []
        bench.storage.isHeld = false
        bench.storage.complete()
        releaseAll()
        for device in gone { device.answerLate() }
        bench.turn()
        let (count, turns) = (bench.frontEnd.messages.count, bench.turns)
        bench.advance(by: .seconds(7_200))
        check()
        if bench.turns - turns > Self.maxTurnsAfterStop {
            broke(.stop, "timers fired \(bench.turns - turns) times after the stop")
        }
        if let message = bench.frontEnd.messages.dropFirst(count).first {
            broke(.stop, "\(message.kind) was published long after the stop")
        }
    }

    // MARK: Checks

    private func broke(_ invariant: CoreBreach.Invariant, _ words: String) {
        if breach == nil { breach = CoreBreach(invariant: invariant, words: words) }
        bench.isHalted = true
    }

    private func answered(_ request: WatchedRequest, _ answer: CollectingReplyAddress.Answer) {
        if let words = request.take(answer) { broke(.answers, words) }
        switch answer {
        case .photo, .part: if watch.isPrivate { broke(.privacy, "a picture answers \(request)") }
        case .reply: break
        }
        // An answer that waits for the disk has the `rev` of its time.
        if case .reply(let bytes) = answer, let rev = bytes.number(after: #""rev":"#),
            Int(rev) != bench.camera.context.rev, !wasDiskHeld
        {
            broke(.revisions, "an answer to \(request) has rev \(rev), not \(bench.camera.context.rev)")
        }
    }

    private func published(_ message: CollectedMessage) {
        if let found = watch.published(message, rev: bench.camera.context.rev, readBack: device?.readBack) {
            broke(found.invariant, found.words)
        }
        if plant == .setsTheModeAnytime && watch.isRecording {
            device?.setMode(device?.mode ?? ScriptedCamera.smallest) { _ in }
        }
    }

    /// Only to the camera's own video and back.
    private func modeIsSet(_ mode: CameraMode) {
        guard watch.isRecording, let present = device?.mode else { return }
        let isSameSize = (mode.width, mode.height, mode.rate) == (present.width, present.height, present.rate)
        if hasVideo && isSameSize && mode.pixelFormat != present.pixelFormat { return }
        broke(.mode, "the mode is set while frames are recorded")
    }

    private func recordingBegins() {
        if (device?.inner.pendingCalls(of: .mode) ?? 0) > 0 {
            broke(.mode, "a recording begins while the mode is being set")
        }
    }

    /// Without a disk that hangs, every request has its answer before the stop is posted.
    private func observed(_ change: CameraChange) {
        if case .stopped = change, !wasDiskHeld { checkAnswersAtStop() }
    }

    private func checkAnswersAtStop() {
        for request in requests where !request.isComplete {
            return broke(.stop, "stopped before the answer to \(request)")
        }
    }

    private func check() {
        if let violation = (gone + [device].compactMap { $0 }).lazy.flatMap(\.inner.violations).first {
            broke(.contract, violation)
        }
        let camera = bench.camera
        let next = bench.saved.numbers.after(crashes: 1).rev
        let first = plant?.firstAfterACrash(next) ?? next
        if first < camera.context.rev {
            broke(.numbers, "rev \(camera.context.rev) would come again after a crash, with \(first)")
        }
        if isStopped, !wasDiskHeld, storesLastState, bench.saved.numbers.rev != camera.context.rev {
            broke(.numbers, "the last state has not the last numbers")
        }
    }
}

extension ScriptedCamera {
    fileprivate static let smallest = CameraMode(pixelFormat: "YU12", width: 16, height: 16, rate: 30)
}
