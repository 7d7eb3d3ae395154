internal import Cameras
internal import Contract
internal import Logging

/// Sets controls of the device to earlier values, as far as the device still has them and takes them.
///
/// Controls are set even if the device reports that they have the value, as a driver may report a cached one.
/// A control that may enable or disable others is set before those; a control that can't be set is left out.
struct ControlsRestorer {
    let context: CameraContext
    let device: Device

    /// Sets controls, and calls back once, also when the device goes meanwhile.
    func restore(_ values: [String: ControlValue], then: @escaping () -> Void) {
        let affectingControls = affectingControls
        setTogether(values.filter { affectingControls.contains($0.key) }) {
            setTogether(values.filter { !affectingControls.contains($0.key) }, then: then)
        }
    }

    /// Sets controls to what they were before a change. The controls that the change enabled come first,
    /// while they can be set.
    func rollBack(to values: [String: ControlValue], then: @escaping () -> Void) {
        let affectingControls = affectingControls
        setTogether(values.filter { !affectingControls.contains($0.key) }) { restore(values, then: then) }
    }

    private var affectingControls: Set<String> {
        Set(device.backend.controls.filter(\.mayAffectOthers).map(\.name))
    }

    private func setTogether(_ values: [String: ControlValue], then: @escaping () -> Void) {
        var wanted: [String: Control.Value] = [:]
        for control in device.backend.controls where control.kind != .button && control.disabledBecause == nil
        {
            guard let value = values[control.name], let nearest = control.nearest(to: value) else {
                continue
            }
            wanted[control.name] = nearest.value
        }
        if wanted.isEmpty { return then() }
        device.setControls(wanted) { result in
            guard case .failure(let error) = result, error != .unplugged else { return then() }
            context.logger.warning(
                "\(context.id): not all controls are restored: \(device.commandError(error).message)")
            // The others are set one by one, so that a control that is refused doesn't affect them.
            setOneByOne(wanted.count > 1 ? wanted.map { ($0.key, $0.value) } : [], then: then)
        }
    }

    private func setOneByOne(
        _ wanted: [(name: String, value: Control.Value)], then: @escaping () -> Void
    ) {
        guard let first = wanted.first else { return then() }
        device.setControls([first.name: first.value]) { result in
            if case .failure(.unplugged) = result { return then() }
            setOneByOne(Array(wanted.dropFirst()), then: then)
        }
    }
}
