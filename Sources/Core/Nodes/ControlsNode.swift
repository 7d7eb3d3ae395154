internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings
internal import ZoomModel

/// `controls`: the controls of the device, and those that the agent emulates. What it publishes was read
/// back.
final class ControlsNode: CameraNode, CommandNode {
    typealias Contract = Node.Controls

    /// Setting the controls again after an external change, with `external: reassert`.
    private struct Reassertion {
        var isRunning = false
        /// Controls were changed meanwhile, perhaps after they had been set.
        var isRepeated = false
        /// When the last one began.
        var begin: ContinuousClock.Instant?
        /// How many followed each other without a rest.
        var count = 0
    }

    /// From one reassertion to the next: something else may keep moving a control.
    private static let reassertionInterval = Duration.seconds(1)
    /// After so many in a row, the log says so.
    private static let reassertionsInARow = 10

    /// The values are those of the controls that a command set, as they were read back.
    private lazy var saved = context.saved[Contract.Saved.self] { didSet { context.keep(saved) } }
    /// The values as they were published last.
    var publishedValues: [String: ControlValue] { publication.published?.values ?? [:] }
    private var reassertion = Reassertion()
    private lazy var reassertionTimer = context.timer { [weak self] in self?.reassert() }
    /// Some controls change with each frame, such as a gain that the device regulates.
    private lazy var publication = Publication<ControlsState>(
        context, of: Contract.self, due: { [weak self] in self?.update(from: Origin(kind: .external)) })
    private lazy var restorer = ControlsRestorer(context: context, device: device)
    private lazy var changes = ControlChanges(device)

    private var hasOwnEffects: Bool { device.backend.controls.contains { $0.name == EmulatedEffects.name } }

    /// The device's own controls, and those that the agent emulates.
    var all: [Control] {
        let own = device.backend.controls
        return hasOwnEffects ? own : own + [EmulatedEffects.control(saved.values[EmulatedEffects.name])]
    }

    /// What the agent does to each frame.
    var effect: Effect {
        hasOwnEffects ? .none : EmulatedEffects.effect(of: saved.values[EmulatedEffects.name])
    }

    // MARK: Commands

    func handle(_ command: ControlsSet, _ request: Request) {
        set(command, for: request) { [self] result in
            switch result {
            case .failure(let error): context.refuse(request, error)
            case .success(let clamped):
                context.reply(.done, to: request) { reply in
                    if clamped { reply.clamped = true }
                    reply.values = publishedValues
                }
            }
        }
    }

    /// Sets controls, all of them or none, and publishes what was read back.
    ///
    /// - Parameters:
    ///   - kind: the kind of the change's source.
    ///   - then: called at most once, with whether a value was out of range and was clamped; perhaps when the
    ///     request has been answered because the device is gone.
    func set(
        _ command: ControlsSet, for request: Request, as kind: Origin.Kind = .command,
        then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        let origin = request.origin(kind)
        let change: (values: [String: Control.Value], isClamped: Bool)
        do throws(CommandError) {
            change = try nearestValues(to: command)
        } catch {
            return then(.failure(error))
        }
        let emulated = change.values.filter { $0.key == EmulatedEffects.name && !hasOwnEffects }
        let driven = change.values.filter { emulated[$0.key] == nil }
        if driven.isEmpty {
            adopt([], emulated, origin, isClamped: change.isClamped)
            return then(.success(change.isClamped))
        }
        changes.add(driven, for: request) { [weak self] result in
            if case .success(let controls) = result {
                self?.adopt(
                    controls.filter { driven[$0.name] != nil }, emulated, origin,
                    isClamped: change.isClamped)
            }
            then(result.map { _ in change.isClamped })
        }
    }

    private func nearestValues(
        to command: ControlsSet
    ) throws(CommandError) -> (values: [String: Control.Value], isClamped: Bool) {
        let controls = all
        var wanted: [String: Control.Value] = [:]
        var isClamped = false
        for (name, value) in command.values.sorted(by: { $0.key < $1.key }) {
            guard let control = controls.first(where: { $0.name == name }) else {
                throw unknown(name, among: controls)
            }
            guard let nearest = control.nearest(to: value) else {
                throw CommandError(.badPayload, "\(name): expected \(control.allowed).", field: name)
            }
            wanted[name] = nearest.value
            isClamped = isClamped || nearest.clamped
        }
        return (wanted, isClamped)
    }

    private func unknown(_ name: String, among controls: [Control]) -> CommandError {
        let known = controls.map(\.name).joined(separator: ", ")
        let name = name.beginning(64)
        return CommandError(
            .badPayload, "\(name): there is no such control; there is \(known).", field: name)
    }

    /// Stores and publishes the values that were set.
    private func adopt(
        _ driven: [Control], _ emulated: [String: Control.Value], _ origin: Origin, isClamped: Bool
    ) {
        for control in driven { saved.values[control.name] = control.value.forMessages }
        for (name, value) in emulated { saved.values[name] = value.forMessages }
        update(from: origin, repeats: isClamped)
        context.saveState()
    }

    override func failPending(_ cause: PendingFailure) {
        context.end(changes.requests, cause)
        changes.dropWaiting()
    }

    // MARK: The device

    override func observe(_ change: CameraChange) {
        switch change {
        case .controlsChangedExternally: changedExternally()
        case .deviceDetached:
            publication.cancel()
            reassertionTimer.cancel()
        default: break
        }
    }

    /// Another program or a person changed controls: they are followed, or set again.
    private func changedExternally() {
        // Before, the controls themselves are being restored.
        guard device.presence == .ready || device.presence == .restoring else { return }
        if context.settings.external == .reassert { return reassert() }
        for control in device.backend.controls where saved.values[control.name] != nil {
            let value = control.value.forMessages
            if value != publishedValues[control.name] { saved.values[control.name] = value }
        }
        context.saveState()
        publication.updateSoon()
    }

    /// Sets the controls again that a command had set; others are followed.
    private func reassert() {
        let isDisturbed = device.backend.controls.contains { control in
            saved.values[control.name].map { $0 != control.value.forMessages } ?? false
        }
        if reassertion.isRunning {
            reassertion.isRepeated = true
            return publication.updateSoon()
        }
        guard isDisturbed else { return publication.updateSoon() }
        let next = reassertion.begin.map { $0.advanced(by: Self.reassertionInterval) } ?? context.now
        if next > context.now {
            publication.updateSoon()
            return reassertionTimer.set(at: next)
        }
        let isInARow = next.advanced(by: Self.reassertionInterval) > context.now
        (reassertion.isRunning, reassertion.isRepeated) = (true, false)
        (reassertion.begin, reassertion.count) = (context.now, isInARow ? reassertion.count + 1 : 1)
        if reassertion.count == Self.reassertionsInARow {
            context.logger.warning(
                "\(context.id): controls were set again \(reassertion.count) times in a row: something else keeps moving them"
            )
        }
        restorer.restore(saved.values) { [weak self] in self?.reasserted() }
    }

    private func reasserted() {
        reassertion.isRunning = false
        guard device.absence == nil else { return }
        if reassertion.isRepeated { reassert() } else { publication.updateSoon() }
    }

    /// Sets the saved controls of a device that was found, and calls back once.
    func restore(then: @escaping () -> Void) { restorer.restore(saved.values, then: then) }

    // MARK: Rolling back

    /// Controls as they were before a change.
    struct Snapshot {
        fileprivate let values: [String: ControlValue]
        fileprivate let chosen: [String: ControlValue]
    }

    func snapshot(of names: some Sequence<String>) -> Snapshot {
        let names = Set(names)
        return Snapshot(
            values: publishedValues.filter { names.contains($0.key) },
            chosen: saved.values.filter { names.contains($0.key) })
    }

    /// Sets controls to what they were before a change, publishes them, and calls back once.
    func rollBack(to snapshot: Snapshot, then: @escaping () -> Void) {
        guard !snapshot.values.isEmpty else { return then() }
        restorer.rollBack(to: snapshot.values) { [weak self] in
            guard let self else { return }
            for name in snapshot.values.keys { saved.values[name] = snapshot.chosen[name] }
            context.saveState()
            if device.absence == nil { update(from: Origin(kind: .restore)) }
            then()
        }
    }

    // MARK: State

    override func publish() {
        if device.absence == nil { update(from: Origin(kind: .restore), repeats: true) }
    }

    private func update(from origin: Origin, repeats: Bool = false) {
        let values = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.value.forMessages) })
        publication.update(ControlsState(values), from: origin, repeats: repeats)
        context.post(.controlsPublished)
    }
}

extension Control {
    /// Whether the control may enable or disable others, as an automatic does.
    var mayAffectOthers: Bool {
        switch kind {
        case .toggle, .picker: true
        case .slider, .discrete, .button, .text: false
        }
    }
}
