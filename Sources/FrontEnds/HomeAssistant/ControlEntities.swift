internal import Contract

/// A camera's controls as entities.
///
/// Common controls are enabled by default; the entities of all others exist but are disabled. Motors belong
/// to what a camera does, not to how it is set up: they have no category.
extension DiscoveredDevice {
    private typealias Control = CameraInfo.ControlDescriptor

    /// More steps than a finger can distinguish on a slider.
    private static let sliderSteps = 10_000.0
    /// Home Assistant allows no smaller step.
    private static let leastStep = 0.001
    /// The range in which a double represents every integer exactly.
    private static let exact = -9_007_199_254_740_992.0...9_007_199_254_740_992

    /// The fields of a control's entity; nil: it has none.
    ///
    /// - Parameters:
    ///   - file: `entities.json`.
    ///   - known: the fields that depend on a control's name.
    /// - Returns: `avty` is what the control has besides the availability of the device.
    func fields(
        of control: CameraInfo.ControlDescriptor, _ file: JSONObject, known: JSON
    ) -> JSONObject? {
        let numbers = numbers(of: control)
        let kind = kind(of: control, canBeChosen: numbers != nil)
        let values = values(of: control, numbers)
        guard let special = filled(kind.flatMap { file["kinds"]?.object?[$0] }, values)?.object,
            let known = (known.object?[control.name] ?? known.object?["*"])?.object
        else { return nil }
        var fields: JSONObject = ["p": special["p"], "name": special["name"]]
        for field in known.members + special.members { fields[field.name] = field.value }
        // A kind with `qos` takes commands. Such a control that is disabled at the moment is shown as
        // unavailable.
        if special["qos"] != nil, disabledControls.contains(control.name) {
            fields["avty"] = filled(file["can_be_set"], values)
        }
        return fields
    }

    /// The name of its kind in `entities.json`; nil: it has none. A control that can't be set is only shown.
    private func kind(of control: Control, canBeChosen: Bool) -> String? {
        let isReadOnly = control.readOnly == true
        switch control.kind {
        case "slider", "discrete": return isReadOnly || !canBeChosen ? "slider_shown" : "slider"
        case "picker" where !isReadOnly && control.options?.isEmpty != false: return nil
        case "text": return "text_shown"
        default: return isReadOnly ? "\(control.kind)_shown" : control.kind
        }
    }

    /// The numbers that a control accepts; nil: there is only one.
    private func numbers(of control: Control) -> (range: ClosedRange<Double>, step: Double)? {
        let values = control.kind == "discrete" ? control.values ?? [] : []
        // The agent rounds other numbers to the nearest permitted value.
        let steps = zip(values, values.dropFirst()).map { (($1 - $0) * 1000).rounded() / 1000 }
        guard let min = values.first ?? control.min, let max = values.last ?? control.max, min < max,
            let step = values.isEmpty ? control.step : steps.min() ?? 1
        else { return nil }
        return ((min...max).clamped(to: Self.exact), Swift.max(step, Self.leastStep))
    }

    private func values(
        of control: Control, _ numbers: (range: ClosedRange<Double>, step: Double)?
    ) -> [Substring: JSON] {
        var values: [Substring: JSON] = [
            "control": .text(control.name), "client": .text(clientField),
            "title": .text(control.title.isEmpty ? control.name : control.title),
        ]
        values["unit"] = control.unit.map { .text($0) }
        if let numbers {
            let stops = Stops(numbers.range, step: numbers.step)
            let isSlider = stops.count <= Self.sliderSteps
            values["min"] = .number(isSlider ? stops.least : numbers.range.lowerBound)
            values["max"] = .number(isSlider ? stops.greatest : numbers.range.upperBound)
            values["step"] = .number(stops.step)
            values["mode"] = .text(isSlider ? "slider" : "box")
        }
        if control.kind == "picker" {
            let options = control.options ?? []
            let select = Select(
                options.map(\.title), of: options.map { $0.value.shortText },
                state: "value_json['values'].get('\(control.name)')", field: control.name)
            (values["options"], values["option_of_state"]) = (select.options, select.state)
            values["option_command"] = command(select.field)
        }
        return values
    }
}
