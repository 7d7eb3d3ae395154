internal import Cameras
internal import Logging
internal import LoopThread
internal import Messages
internal import ZoomModel

extension Camera {
    func handle(_ command: ControlsSet, _ asker: Asker) {
        setControls(command, origin: asker.origin(.command)) { [self] result in
            switch result {
            case .failure(let error): agent.refuse(error, asker)
            case .success(let clamped):
                var reply = asker.reply(.done, boot: agent.boot)
                reply.rev = rev
                if clamped { reply.clamped = true }
                reply.values = saidValues
                agent.answer(reply, asker)
            }
        }
    }

    /// Sets controls, all of them or none, and publishes what was read back. Calls back with whether a value was out of range.
    func setControls(
        _ command: ControlsSet, origin: Origin, then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        var wanted: [String: Control.Value] = [:]
        var clamped = false
        for (name, wish) in command.values {
            guard let control = controls.first(where: { $0.name == name }) else {
                return then(.failure(unknownControl(name)))
            }
            guard let nearest = control.nearest(to: wish.forCamera) else {
                return then(
                    .failure(CommandError(.badPayload, "\(name): expected \(control.allowed).", field: name)))
            }
            wanted[name] = nearest.value
            clamped = clamped || nearest.clamped
        }
        let ours = wanted.filter { isOurs($0.key) }
        drive(wanted.filter { ours[$0.key] == nil }) { [self] result in
            switch result {
            case .failure(let error): then(.failure(error.forMessages))
            case .success(let driven):
                for control in driven where wanted[control.name] != nil {
                    setControls[control.name] = control.value.forMessages
                }
                for (name, value) in ours { setControls[name] = value.forMessages }
                publishControls(origin: origin)
                // A control may have enabled or disabled another.
                publishInfo()
                agent.saveSoon()
                then(.success(clamped))
            }
        }
    }

    /// Sets controls of the camera's own, if there are any to be set.
    private func drive(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        if values.isEmpty { then(.success([])) } else { backend.setControls(values, then: then) }
    }

    /// Somebody else has changed controls.
    func controlsChanged() {
        guard presence == .ready else { return }
        if settings.reasserts { return reassertControls() }
        for control in backend.controls where setControls[control.name] != nil {
            let value = control.value.forMessages
            if value != saidValues[control.name] { setControls[control.name] = value }
        }
        agent.saveSoon()
        tellOfControls()
    }

    /// Takes back what somebody else did to the controls that were set here; others are followed.
    private func reassertControls() {
        let isDisturbed = backend.controls.contains { control in
            setControls[control.name].map { $0 != control.value.forMessages } ?? false
        }
        guard isDisturbed, !isReasserting else { return tellOfControls() }
        isReasserting = true
        // What comes of it is told when it has been done.
        restoreControls(setControls) { [weak self] in
            self?.isReasserting = false
            self?.tellOfControls()
        }
    }

    /// Some controls change with each frame, as a gain that is automatic: they are told at a pace, the last always.
    private func tellOfControls() {
        tellAtAPace(controlsTimer, last: lastControls)
    }

    func controlsTimerFired() {
        publishControls(origin: Origin(kind: .external))
        publishInfo()
    }

    private func unknownControl(_ name: String) -> CommandError {
        let known = controls.map(\.name).joined(separator: ", ")
        let name = name.beginning(64)
        return CommandError(
            .badPayload, "\(name): there is no such control; there is \(known).", field: name)
    }

    /// Sets the controls that an earlier run had set, as far as the camera still has them: also those that are said to be as they were, as a
    /// driver may not know better. What rules others, such as an automatic, comes first; what can't be set then is left out.
    func restoreControls(_ saved: [String: ControlValue], then: @escaping () -> Void) {
        let rulers = Set(backend.controls.filter(\.mayRuleOthers).map(\.name))
        restoreTogether(saved.filter { rulers.contains($0.key) }) { [weak self] in
            self?.restoreTogether(saved.filter { !rulers.contains($0.key) }, then: then)
        }
    }

    /// Sets controls again to what they were before a change. What that enabled comes first, while it can be set.
    func takeBack(_ values: [String: ControlValue], then: @escaping () -> Void) {
        let rulers = Set(backend.controls.filter(\.mayRuleOthers).map(\.name))
        restoreTogether(values.filter { !rulers.contains($0.key) }) { [weak self] in
            self?.restoreControls(values, then: then)
        }
    }

    private func restoreTogether(_ saved: [String: ControlValue], then: @escaping () -> Void) {
        var wanted: [String: Control.Value] = [:]
        for control in backend.controls where control.kind != .button && control.disabledBecause == nil {
            guard let value = saved[control.name], let nearest = control.nearest(to: value.forCamera) else {
                continue
            }
            wanted[control.name] = nearest.value
        }
        if wanted.isEmpty { return then() }
        backend.setControls(wanted) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: then()
            // The source tells what follows.
            case .failure(.unplugged): isReasserting = false
            case .failure(let error):
                agent.logger.warning("\(id): not all controls are restored: \(error.forMessages.message)")
                // One that is refused doesn't keep the others from what they were.
                restoreOneByOne(wanted.count > 1 ? wanted.map { ($0.key, $0.value) } : [], then: then)
            }
        }
    }

    private func restoreOneByOne(
        _ wanted: [(name: String, value: Control.Value)], then: @escaping () -> Void
    ) {
        guard let first = wanted.first else { return then() }
        backend.setControls([first.name: first.value]) { [weak self] result in
            if case .failure(.unplugged) = result { return }
            self?.restoreOneByOne(Array(wanted.dropFirst()), then: then)
        }
    }
}

extension Control {
    var mayRuleOthers: Bool {
        switch kind {
        case .toggle, .picker: true
        case .slider, .discrete, .button, .text: false
        }
    }
}

extension ControlValue {
    var forCamera: Control.Value {
        switch self {
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        case .text(let text): .text(text)
        }
    }
}

extension Control.Value {
    var forMessages: ControlValue {
        switch self {
        case .number(let number): .number(number.forMessages)
        case .flag(let flag): .flag(flag)
        case .text(let text): .text(text)
        }
    }
}

extension Control {
    /// The control as `info` describes it.
    var descriptor: CameraInfo.Control {
        var descriptor = CameraInfo.Control(
            name: name, title: title, kind: "", default: defaultValue.forMessages,
            enabled: disabledBecause == nil)
        descriptor.unit = unit
        descriptor.reason = disabledBecause
        descriptor.readOnly = isReadOnly ? true : nil
        switch kind {
        case .slider(let min, let max, let step):
            descriptor.kind = "slider"
            (descriptor.min, descriptor.max, descriptor.step) = (min, max, step)
        case .discrete(let values):
            descriptor.kind = "discrete"
            descriptor.values = values
        case .picker(let options):
            descriptor.kind = "picker"
            descriptor.options = options.map { .init(value: $0.value, title: $0.title) }
        case .toggle: descriptor.kind = "toggle"
        case .button: descriptor.kind = "button"
        case .text: descriptor.kind = "text"
        }
        return descriptor
    }
}
