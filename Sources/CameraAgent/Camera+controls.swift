internal import Cameras
internal import Logging
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
                reply.values = Dictionary(
                    uniqueKeysWithValues: backend.controls.map { ($0.name, $0.value.forMessages) })
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
            guard let control = backend.controls.first(where: { $0.name == name }) else {
                return then(.failure(unknownControl(name)))
            }
            guard let nearest = control.nearest(to: wish.forCamera) else {
                return then(
                    .failure(CommandError(.badPayload, "\(name): expected \(control.allowed).", field: name)))
            }
            wanted[name] = nearest.value
            clamped = clamped || nearest.clamped
        }
        backend.setControls(wanted) { [self] result in
            switch result {
            case .failure(let error): then(.failure(error.forMessages))
            case .success(let controls):
                for control in controls where wanted[control.name] != nil {
                    setControls[control.name] = control.value.forMessages
                }
                publishControls(origin: origin)
                // A control may have enabled or disabled another.
                publishInfo()
                agent.saveSoon()
                then(.success(clamped))
            }
        }
    }

    private func unknownControl(_ name: String) -> CommandError {
        let known = backend.controls.map(\.name).joined(separator: ", ")
        return CommandError(
            .badPayload, "\(name.prefix(64)): there is no such control; there is \(known).",
            field: String(name.prefix(64)))
    }

    /// Sets the controls that an earlier run had set, as far as the camera still has them.
    func restoreControls(_ saved: [String: ControlValue], then: @escaping () -> Void) {
        var wanted: [String: Control.Value] = [:]
        for control in backend.controls {
            if let value = saved[control.name], let nearest = control.nearest(to: value.forCamera) {
                wanted[control.name] = nearest.value
            }
        }
        if wanted.isEmpty { return then() }
        backend.setControls(wanted) { [self] result in
            if case .failure(let error) = result {
                agent.logger.warning("\(id): the controls aren't restored: \(error.forMessages.message)")
            }
            then()
        }
    }
}

extension ControlValue {
    var forCamera: Control.Value {
        switch self {
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        }
    }
}

extension Control.Value {
    var forMessages: ControlValue {
        switch self {
        case .number(let number): .number(number.forMessages)
        case .flag(let flag): .flag(flag)
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
        }
        return descriptor
    }
}
