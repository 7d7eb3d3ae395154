internal import Cameras
internal import Contract

extension CameraError {
    var forMessages: CommandError {
        switch self {
        case .disabled(let control, let reason):
            CommandError(.unavailable, "\(control) can't be set at the moment: \(reason).", field: control)
        case .device(let words): CommandError(.device, "The camera refused: \(words)")
        case .unplugged: CommandError(.unavailable, "The camera was unplugged.")
        }
    }
}

extension CameraMode {
    /// Width over height; 16:9 while there is no device.
    var aspect: Double { width > 0 && height > 0 ? Double(width) / Double(height) : 16.0 / 9 }
}

extension ControlValue {
    /// As precise as it is published.
    var forMessages: ControlValue {
        if case .number(let number) = self { .number(number.forMessages) } else { self }
    }
}

extension Control {
    /// The control as `info` describes it.
    var descriptor: CameraInfo.ControlDescriptor {
        var descriptor = CameraInfo.ControlDescriptor(
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
