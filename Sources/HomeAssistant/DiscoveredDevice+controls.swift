/// A camera's controls as entities.
extension DiscoveredDevice {
    /// Common controls, enabled by default. The entities of all other controls exist but are disabled.
    private static let usual: Set<String> = [
        "brightness", "contrast", "saturation", "hue", "sharpness", "gamma", "gain", "backlight_compensation",
        "white_balance_automatic", "white_balance_temperature", "auto_exposure", "exposure_time_absolute",
        "exposure_bias", "auto_exposure_bias", "exposure_dynamic_framerate", "power_line_frequency",
        "focus_automatic_continuous", "focus_absolute", "autofocus", "focus", "horizontal_flip",
        "vertical_flip",
        "rotate", "privacy", "color_effects", "gain_automatic",
    ]
    /// Motors: they belong to what a camera does, not to how it is set up.
    private static let motors: Set<String> = ["pan_absolute", "tilt_absolute"]
    private static let icons = [
        "brightness": "brightness-6", "contrast": "contrast-box", "saturation": "palette",
        "hue": "palette-outline",
        "sharpness": "image-filter-center-focus-strong", "gain": "signal", "gamma": "gamma",
        "backlight_compensation": "weather-sunset", "white_balance_automatic": "white-balance-auto",
        "white_balance_temperature": "thermometer", "auto_exposure": "brightness-auto",
        "exposure_time_absolute": "timer-outline", "exposure_bias": "plus-minus-variant",
        "auto_exposure_bias": "plus-minus-variant", "power_line_frequency": "sine-wave",
        "focus_automatic_continuous": "image-auto-adjust", "autofocus": "image-auto-adjust",
        "focus_absolute": "focus-field", "focus": "focus-field", "horizontal_flip": "flip-horizontal",
        "vertical_flip": "flip-vertical", "rotate": "rotate-right", "color_effects": "palette-swatch",
        "pan_absolute": "pan-horizontal", "tilt_absolute": "pan-vertical", "privacy": "eye-off-outline",
    ]
    private static let otherIcon = "tune-variant"
    /// More steps than a finger can distinguish on a slider.
    private static let sliderSteps = 10_000.0
    /// Home Assistant allows no smaller step.
    private static let leastStep = 0.001
    /// The range in which a double represents every integer exactly.
    private static let exact = -9_007_199_254_740_992.0...9_007_199_254_740_992

    /// All components of the device's document, each as its platform and its name, which are needed to
    /// remove it.
    package var components: [String] { entities.map { "\($0.platform.rawValue)/\($0.id)" } }

    func entity(of control: DiscoveredControl) -> Entity? {
        let value = Template.value(of: control.name)
        if control.isReadOnly { return sensor(of: control) }
        switch control.kind {
        case .slider(let min, let max, let step):
            if min >= max { return sensor(of: control) }
            return number(control, min: min, max: max, step: Swift.max(step, Self.leastStep))
        case .discrete(let values):
            guard let first = values.first, let last = values.last, first < last else {
                return sensor(of: control)
            }
            // The agent rounds other numbers to the nearest permitted value.
            let steps = zip(values, values.dropFirst()).map { (($1 - $0) * 1000).rounded() / 1000 }
            return number(control, min: first, max: last, step: Swift.max(steps.min() ?? 1, Self.leastStep))
        case .picker(let options):
            guard !options.isEmpty else { return nil }
            let fields = Labels.select(of: options, state: value, field: control.name, by: client)
            return entity(.select, of: control, fields)
        case .toggle:
            return entity(
                .switch, of: control,
                [
                    "cmd_tpl": command("\"\(control.name)\":\(Template.isOn)"),
                    "val_tpl": "{{ {true:'ON',false:'OFF'}.get(\(value))}}",
                ])
        case .button:
            return entity(.button, of: control, ["pl_prs": command("\"\(control.name)\":true")])
        case .text: return sensor(of: control)
        }
    }

    private func number(_ control: DiscoveredControl, min: Double, max: Double, step: Double) -> Entity {
        let range = (min...max).clamped(to: Self.exact)
        let stops = Stops(range, step: step)
        let isSlider = stops.count <= Self.sliderSteps
        let (least, greatest) =
            isSlider ? (stops.least, stops.greatest) : (range.lowerBound, range.upperBound)
        var fields: Object = [
            "cmd_tpl": command("\"\(control.name)\":{{value}}"),
            "val_tpl": "{{\(Template.value(of: control.name))}}",
            "min": .number(least), "max": .number(greatest), "step": .number(step),
            "mode": isSlider ? "slider" : "box",
        ]
        fields["unit_of_meas"] = control.unit.map { .text($0) }
        return entity(.number, of: control, fields)
    }

    /// A control that can't be set is shown as a sensor.
    private func sensor(of control: DiscoveredControl) -> Entity? {
        let value = Template.value(of: control.name)
        var platform = Entity.Platform.sensor
        var fields: Object = [:]
        switch control.kind {
        case .slider, .discrete:
            fields["val_tpl"] = "{{\(value)}}"
            fields["unit_of_meas"] = control.unit.map { .text($0) }
        // Home Assistant shows a longer state as unknown.
        case .text: fields["val_tpl"] = "{{(\(value)or'')[:255]}}"
        case .picker(let options):
            fields = Labels.select(of: options, state: value, field: control.name, by: client)
            fields["cmd_tpl"] = nil
            fields["dev_cla"] = "enum"
        case .toggle:
            platform = .binarySensor
            fields["val_tpl"] = "{{ {true:'ON',false:'OFF'}.get(\(value))}}"
        case .button: return nil
        }
        var entity = entity(platform, of: control, fields)
        entity.category = .diagnostic
        entity.fields["avty"] = nil
        return entity
    }

    private func entity(_ platform: Entity.Platform, of control: DiscoveredControl, _ fields: Object)
        -> Entity
    {
        let isMotor = Self.motors.contains(control.name)
        var fields = fields
        if control.isSometimesDisabled { fields["avty"] = .list(availability + [canBeSet(control)]) }
        return Entity(
            platform, "\(platform.rawValue)_\(control.name)", slug: control.name,
            control.title.isEmpty ? control.name : control.title,
            icon: Self.icons[control.name] ?? Self.otherIcon, category: isMotor ? nil : .config,
            isEnabled: isMotor || Self.usual.contains(control.name), fields)
    }

    /// A control that is disabled at the moment is shown as unavailable.
    private func canBeSet(_ control: DiscoveredControl) -> DocumentValue {
        isAvailable(
            topics.info,
            if: "value_json.controls|selectattr('name','eq','\(control.name)')|selectattr('enabled')|list")
    }
}
