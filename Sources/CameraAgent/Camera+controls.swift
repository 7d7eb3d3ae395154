internal import Cameras
internal import Logging
internal import Messages
internal import ZoomModel

extension Camera {
    /// Sets controls, all of them or none.
    func handle(_ command: ControlsSet, _ asker: Asker) {
        var wanted: [String: Control.Value] = [:]
        var clamped = false
        for (name, wish) in command.values {
            guard let control = backend.controls.first(where: { $0.name == name }) else {
                return agent.refuse(unknownControl(name), asker)
            }
            guard let nearest = control.nearest(to: wish.forCamera) else {
                return agent.refuse(
                    CommandError(.badPayload, "\(name): expected \(control.allowed).", field: name), asker)
            }
            wanted[name] = nearest.value
            clamped = clamped || nearest.clamped
        }
        backend.setControls(wanted) { [self] result in
            switch result {
            case .failure(let error): agent.refuse(error.forMessages, asker)
            case .success(let controls): controlsAreSet(wanted, controls, clamped: clamped, asker)
            }
        }
    }

    private func unknownControl(_ name: String) -> CommandError {
        let known = backend.controls.map(\.name).joined(separator: ", ")
        return CommandError(
            .badPayload, "\(name.prefix(64)): there is no such control; there is \(known).",
            field: String(name.prefix(64)))
    }

    private func controlsAreSet(
        _ wanted: [String: Control.Value], _ controls: [Control], clamped: Bool, _ asker: Asker
    ) {
        for control in controls where wanted[control.name] != nil {
            setControls[control.name] = control.value.forMessages
        }
        publishControls(origin: asker.origin(.command))
        // A control may have enabled or disabled another.
        publishInfo()
        agent.saveSoon()
        var reply = asker.reply(.done, boot: agent.boot)
        reply.rev = rev
        if clamped { reply.clamped = true }
        reply.values = Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0.value.forMessages) })
        agent.answer(reply, asker)
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
