import Base
import Bus
import Cameras
import Configuration
import Contract
import Core
import FoundationEssentials
import FrontEnds
import Logging
import Settings
import TestSupport

@testable import Agent

/// The adapter between the driver and this tree: a whole agent in virtual time, with its state in memory,
/// a double of the broker, and scripted devices and threads.
package final class AgentStage: ScenarioStage {
    /// When the time of day begins.
    private static let epoch = Date(timeIntervalSince1970: 1_790_000_000)
    /// Turns of the loop after each step and timer: messages between the parts of the agent take a few.
    private static let turns = 6

    private let clock = ManualClock()
    private let start: ContinuousClock.Instant
    private let loop: EventLoop
    private let broker: BrokerDouble
    private let media: ScriptedMedia
    private let machine = Machine()
    private let agent: Agent
    private let sources: [String: ScriptedSource]
    private let timePassed: (Duration) -> Void
    /// What holds for the devices that are attached later, too.
    private var held: Set<ScriptedCamera.Operation> = []
    private var failures: [ScriptedCamera.Operation: CameraError] = [:]

    /// The clock of the machine, as the kernel reports it.
    private final class Machine { var error: Duration? = .milliseconds(1) }

    /// - Parameters:
    ///   - configuration: keys and values.
    ///   - timePassed: called with the time since the beginning, whenever it changes.
    /// - Throws: errors of the configuration.
    package init(
        _ configuration: [(String, String)], timePassed: @escaping (Duration) -> Void = { _ in }
    ) throws {
        let settings = try LoadedConfiguration.load(
            file: nil, environment: [:], overrides: configuration, hostName: "host"
        ).settings
        let (clock, start, machine) = (clock, clock.now, machine)
        let loop = EventLoop(clock: clock)
        let media = ScriptedMedia(on: loop)
        media.files = ["a.jpg": [1, 2], "b.jpg": [3], "c.mp4": []]
        let broker = BrokerDouble(on: loop)
        let ports = AgentPorts(
            bus: { settings, _ in
                broker.filters = [NameCheck.filter(Topics(settings))]
                broker.isHeld = true
                return broker
            },
            media: media.services, freeBytes: { _, then in then(7_000_000_000) },
            wallTime: { Self.epoch.addingTimeInterval(start.duration(to: clock.now) / .seconds(1)) },
            wallTimeError: { machine.error })
        var sources: [String: ScriptedSource] = [:]
        agent = try Agent(
            settings, host: AgentHost(version: "1", name: "host", storage: .memory), on: loop,
            logger: Logger(label: "stage") { _ in SwiftLogNoOpLogHandler() }, ports: ports
        ) { camera, _ in
            let source = ScriptedSource()
            sources[camera.id] = source
            return source
        }
        (self.start, self.loop, self.media, self.broker) = (start, loop, media, broker)
        (self.sources, self.timePassed) = (sources, timePassed)
        agent.start(online: {}, failed: { _ in })
        settle()
    }

    package var messages: [StageMessage] { broker.published }

    package func publish(_ message: StageMessage) {
        broker.deliver(message)
        settle()
    }

    package func stop() {
        agent.stop { _ in }
        settle()
    }

    package func timestamp(after time: Duration) -> String {
        let passed = start.duration(to: clock.now) + time
        return Timestamp.text(Self.epoch.addingTimeInterval(passed / .seconds(1)))
    }

    // MARK: Time

    package func pass(_ time: Duration) {
        let end = clock.now.advanced(by: time)
        settle()
        while let next = loop.nextTimer, next <= end {
            advance(to: next)
            settle()
        }
        advance(to: end)
    }

    private func advance(to time: ContinuousClock.Instant) {
        clock.advance(to: time)
        timePassed(start.duration(to: clock.now))
    }

    private func settle() {
        for _ in 0..<Self.turns { loop.runOnce(timeout: .zero) }
    }

    // MARK: Devices

    package func device(_ effect: DeviceEffect, of camera: String) throws(UnknownEffect) {
        guard let source = sources[camera] else { throw UnknownEffect(effect) }
        let word = effect.words.dropFirst().first ?? ""
        let isOn = word == "on"
        switch (effect.name, word) {
        case ("attach", _): attach(source, Double(word) ?? 1, hasVideo: effect.words.last == "video")
        case ("unplug", _): source.detach(.unplugged)
        case ("absent", _): source.detach(.notFound)
        case ("replace", _): source.detach(.replaced)
        case ("break", _): source.detach(.unusable("scripted"))
        case ("begin", _): (source.camera as? ScriptedCamera)?.release(.lens, moving: true)
        case ("lens", _):
            report(.moved(optical: Double(word) ?? 1, moving: effect.words.last == "moving"), to: source)
        case ("take", _): report(.taken(optical: Double(word) ?? 1), to: source)
        case ("turn", _):
            let value = Double(effect.words.last ?? "") ?? 0
            (source.camera as? ScriptedCamera)?.change(word, to: .number(value))
        case ("damage", _): media.framesAreDamaged = isOn
        case ("dark", _): media.brightness = isOn ? 0.01 : 0.5
        case ("fill", _): media.recordings.last?.fill()
        case ("refuse", _): media.beginFailure = isOn ? CommandError(.device, "scripted") : nil
        case ("read", _): media.outputIsRead = isOn
        case ("full", _): broker.isFull = isOn
        case ("lose", _): broker.lose(isTakeover: word == "taken")
        case ("clock", _): machine.error = isOn ? .milliseconds(1) : nil
        default:
            if let operation = ScriptedMedia.Operation.allCases.first(where: { "\($0)" == word }) {
                try change(operation, effect)
            } else if let operation = ScriptedCamera.Operation.allCases.first(where: { "\($0)" == word }) {
                try change(operation, effect, source.camera as? ScriptedCamera)
            } else {
                throw UnknownEffect(effect)
            }
        }
        settle()
    }

    private func change(
        _ operation: ScriptedMedia.Operation, _ effect: DeviceEffect
    ) throws(UnknownEffect) {
        switch effect.name {
        case "hold": media.held.insert(operation)
        case "release": media.release(operation)
        case "free":
            media.held.remove(operation)
            while media.release(operation) {}
        case "fail":
            media.failures[operation] = CommandError(operation == .store ? .storageFull : .device, "scripted")
        case "work": media.failures[operation] = nil
        default: throw UnknownEffect(effect)
        }
    }

    private func change(
        _ operation: ScriptedCamera.Operation, _ effect: DeviceEffect, _ device: ScriptedCamera?
    ) throws(UnknownEffect) {
        switch effect.name {
        case "hold": held.insert(operation)
        case "release": break
        case "free": held.remove(operation)
        case "fail": failures[operation] = .device("scripted")
        case "disable": failures[operation] = .disabled(control: "focus", reason: "scripted")
        case "work": failures[operation] = nil
        default: throw UnknownEffect(effect)
        }
        for source in sources.values { arrange(source.camera as? ScriptedCamera) }
        guard operation != .frame else { return }
        if effect.name == "release" { device?.release(operation) }
        if effect.name == "free" {
            for (_, source) in sources.sorted(by: { $0.key < $1.key }) {
                while (source.camera as? ScriptedCamera)?.release(operation) == true {}
            }
        }
    }

    private func arrange(_ device: ScriptedCamera?) {
        device?.held = held
        device?.failures = failures
    }

    private func report(_ report: LensReport, to source: ScriptedSource) {
        guard let device = source.camera as? ScriptedCamera, device.description.opticalMax > 1 else { return }
        device.report(report)
    }

    private func attach(_ source: ScriptedSource, _ opticalMax: Double, hasVideo: Bool) {
        source.reopens = { [weak self] in self?.newDevice(opticalMax, hasVideo) }
        source.attach(newDevice(opticalMax, hasVideo))
    }

    private func newDevice(_ opticalMax: Double, _ hasVideo: Bool) -> ScriptedCamera {
        let device = ScriptedCamera(
            description: hasVideo
                ? .scriptedVideo(opticalMax: opticalMax) : .scripted(opticalMax: opticalMax), on: loop)
        device.frameInterval = .milliseconds(40)
        let video = ScriptedVideo(on: loop)
        let gray = ScriptedCamera.gray(device.mode)
        device.picture = { hasVideo ? video.picture($0) : gray }
        arrange(device)
        return device
    }
}
