internal import Contract

/// Translates the controls for pan and tilt between the picture that users see and the device, whose motors
/// are mounted as its sensor is: pan with a positive value shows what is further to the right, tilt what is
/// further up.
struct PanTilt {
    private struct Axis {
        /// What users call it, and what the device does.
        let user, device: Name
        /// Whether its values are negated.
        let isReversed: Bool
    }

    private enum Name: String {
        case pan, tilt

        var title: String { self == .pan ? "Pan" : "Tilt" }
    }

    private let axes: [Axis]

    init(turnedBy orientation: Orientation) {
        func axis(_ user: Name, x: Int, y: Int) -> Axis {
            let direction = orientation.inverse.direction(x, y)
            return direction.y == 0
                ? Axis(user: user, device: .pan, isReversed: direction.x < 0)
                : Axis(user: user, device: .tilt, isReversed: direction.y > 0)
        }
        axes = [axis(.pan, x: 1, y: 0), axis(.tilt, x: 0, y: -1)]
    }

    func forUser(_ control: Control) -> Control {
        guard let (axis, suffix) = axis(control.name, \.device) else { return control }
        var control = control
        control.name = axis.user.rawValue + suffix
        if control.title.hasPrefix(axis.device.title) {
            control.title = axis.user.title + control.title.dropFirst(axis.device.title.count)
        }
        guard axis.isReversed else { return control }
        control.defaultValue = negated(control.defaultValue)
        control.value = negated(control.value)
        switch control.kind {
        case .slider(let min, let max, let step):
            control.kind = .slider(min: 0 - max, max: 0 - min, step: step)
        case .discrete(let values): control.kind = .discrete(values.reversed().map { 0 - $0 })
        case .picker, .toggle, .button, .text: break
        }
        return control
    }

    func forUser(_ error: CameraError) -> CameraError {
        guard case .disabled(let name, let reason) = error, let (axis, suffix) = axis(name, \.device) else {
            return error
        }
        return .disabled(control: axis.user.rawValue + suffix, reason: reason)
    }

    func forDevice(_ values: [String: Control.Value]) -> [String: Control.Value] {
        var translated: [String: Control.Value] = [:]
        for (name, value) in values {
            if let (axis, suffix) = axis(name, \.user) {
                translated[axis.device.rawValue + suffix] = axis.isReversed ? negated(value) : value
            } else {
                translated[name] = value
            }
        }
        return translated
    }

    private func axis(_ name: String, _ side: KeyPath<Axis, Name>) -> (Axis, suffix: String)? {
        for axis in axes where name.hasPrefix(axis[keyPath: side].rawValue + "_") {
            return (axis, String(name.dropFirst(axis[keyPath: side].rawValue.count)))
        }
        return nil
    }

    private func negated(_ value: Control.Value) -> Control.Value {
        // Without a minus before 0.
        if case .number(let number) = value { .number(0 - number) } else { value }
    }
}
