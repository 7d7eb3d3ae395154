internal import Contract

/// A camera's controls as entities.
///
/// Common controls are enabled by default; the entities of all others exist but are disabled. Motors belong
/// to what a camera does, not to how it is set up: they have no category.
struct ControlEntities {
    typealias Control = CameraInfo.ControlDescriptor

    /// More steps than a finger can distinguish on a slider.
    private static let sliderSteps = 10_000.0
    /// Home Assistant allows no smaller step.
    private static let leastStep = 0.001
    /// The range in which a double represents every integer exactly.
    private static let exact = -9_007_199_254_740_992.0...9_007_199_254_740_992

    /// The fields that depend on a control's name; `*` has those of all other controls.
    let known: JSONObject
    let device: DiscoveredDevice
    /// That of the device.
    let availability: [JSON]

    func entity(of control: Control) -> Entity? {
        if control.readOnly == true { return sensor(of: control) }
        let name = control.name
        switch control.kind {
        case "slider":
            guard let min = control.min, let max = control.max, let step = control.step else { return nil }
            return min < max ? number(control, min...max, step: step) : sensor(of: control)
        case "discrete":
            let values = control.values ?? []
            guard let first = values.first, let last = values.last, first < last else {
                return sensor(of: control)
            }
            // The agent rounds other numbers to the nearest permitted value.
            let steps = zip(values, values.dropFirst()).map { (($1 - $0) * 1000).rounded() / 1000 }
            return number(control, first...last, step: steps.min() ?? 1)
        case "picker":
            guard control.options?.isEmpty == false else { return nil }
            let select = select(control)
            return settable(
                control, "select",
                ["ops": select.options, "val_tpl": select.state, "cmd_tpl": device.command(select.field)])
        case "toggle":
            let command = device.command("\"\(name)\":{{(value=='ON')|tojson}}")
            return settable(control, "switch", ["cmd_tpl": command, "val_tpl": Template.onOff(name)])
        case "button":
            return settable(control, "button", ["pl_prs": device.command("\"\(name)\":true")])
        case "text": return sensor(of: control)
        default: return nil
        }
    }

    private func number(_ control: Control, _ range: ClosedRange<Double>, step: Double) -> Entity {
        let range = range.clamped(to: Self.exact)
        let stops = Stops(range, step: max(step, Self.leastStep))
        let isSlider = stops.count <= Self.sliderSteps
        var fields: JSONObject = [
            "cmd_tpl": device.command("\"\(control.name)\":{{value}}"),
            "val_tpl": "{{\(Template.value(of: control.name))}}",
            "min": .number(isSlider ? stops.least : range.lowerBound),
            "max": .number(isSlider ? stops.greatest : range.upperBound), "step": .number(stops.step),
            "mode": isSlider ? "slider" : "box",
        ]
        fields["unit_of_meas"] = control.unit.map { .text($0) }
        return settable(control, "number", fields)
    }

    private func select(_ control: Control) -> Select {
        let options = control.options ?? []
        return Select(
            options.map(\.title), of: options.map { Template.number($0.value) },
            state: Template.value(of: control.name), field: control.name)
    }

    private func settable(_ control: Control, _ platform: String, _ special: JSONObject) -> Entity {
        var fields = fields(of: control, platform)
        fields["qos"] = 1
        for name in special.names { fields[name] = special[name] }
        if device.disabledControls.contains(control.name) {
            fields["avty"] = .list(availability + [canBeSet(control)])
        }
        return entity(of: control, fields)
    }

    /// A control that can't be set is shown as a sensor.
    private func sensor(of control: Control) -> Entity? {
        let value = Template.value(of: control.name)
        var fields = fields(of: control, control.kind == "toggle" ? "binary_sensor" : "sensor")
        fields["ent_cat"] = "diagnostic"
        switch control.kind {
        case "slider", "discrete":
            fields["val_tpl"] = "{{\(value)}}"
            fields["unit_of_meas"] = control.unit.map { .text($0) }
        // Home Assistant shows a longer state as unknown.
        case "text": fields["val_tpl"] = "{{(\(value)or'')[:255]}}"
        case "picker":
            let select = select(control)
            (fields["ops"], fields["val_tpl"], fields["dev_cla"]) = (select.options, select.state, "enum")
        case "toggle": fields["val_tpl"] = Template.onOff(control.name)
        default: return nil
        }
        return entity(of: control, fields)
    }

    private func entity(of control: Control, _ fields: JSONObject) -> Entity {
        Entity(id: "\(fields["p"]?.text ?? "")_\(control.name)", slug: control.name, fields: fields)
    }

    /// The fields that do not depend on what the control does.
    private func fields(of control: Control, _ platform: String) -> JSONObject {
        var fields: JSONObject = [
            "p": .text(platform), "name": .text(control.title.isEmpty ? control.name : control.title),
        ]
        let known = (known[control.name] ?? known["*"])?.object ?? [:]
        for name in known.names { fields[name] = known[name] }
        return fields
    }

    /// A control that is disabled at the moment is shown as unavailable.
    private func canBeSet(_ control: Control) -> JSON {
        let isEnabled =
            "value_json.controls|selectattr('name','eq','\(control.name)')|selectattr('enabled')|list"
        return .object([
            "t": .text(device.topics["info"]), "val_tpl": "{{'online'if \(isEnabled) else'offline'}}",
        ])
    }
}
