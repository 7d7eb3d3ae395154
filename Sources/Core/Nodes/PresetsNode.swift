internal import Cameras
internal import Contract
internal import Settings
internal import ZoomModel

/// `presets`: views with names: zoom, viewport, pan, tilt and focus.
final class PresetsNode: StateNode<Node.Presets>, CommandNode {
    /// Presets of a camera, and those of them that one client saved.
    private static let maxPresets = 256
    private static let maxOfClient = 64
    /// Names that an error lists.
    private static let maxNames = 8
    /// The controls that belong to a view, as far as a camera has them.
    private static let motors = ["pan_absolute", "tilt_absolute"]
    private static let viewControls =
        motors + ["focus_automatic_continuous", "autofocus", "focus_absolute", "focus"]

    private var presets: [String: PresetFields] {
        get { saved.presets }
        set { saved.presets = newValue }
    }
    /// The presets without changes that aren't reported as stored.
    private lazy var stored = context.saved[Contract.Saved.self].presets

    // MARK: Commands

    func handle(_ command: PresetsSet, _ request: Request) throws(CommandError) {
        switch command {
        case .save(let name): try save(name, request)
        case .go(let name, let rate): try go(to: name, rate: rate, request)
        case .delete(let name):
            guard presets[name] != nil else {
                throw unknown(name, field: "delete", among: presets.keys.sorted())
            }
            set(name, to: nil, request)
        }
    }

    private func save(_ name: String, _ request: Request) throws(CommandError) {
        let isOwn = { (preset: PresetFields) in preset.owner == request.client }
        let own = presets.values.count(where: isOwn)
        let hasRoom = presets[name] != nil || presets.count < Self.maxPresets
        guard hasRoom, own < Self.maxOfClient || presets[name].map(isOwn) == true else {
            throw CommandError(
                .busy,
                "save: there are \(presets.count) presets already, \(own) of this client; delete one first.",
                field: "save")
        }
        var preset = view
        preset.client = request.client?.name
        preset.proved = request.client?.isProved
        set(name, to: preset, request)
    }

    /// Changes a preset, or undoes that when it can't be stored.
    private func set(_ name: String, to preset: PresetFields?, _ request: Request) {
        presets[name] = preset
        context.saveState()
        context.whenSaved { [self] error in
            guard let error else {
                stored[name] = preset
                update()
                return context.reply(.done, to: request)
            }
            // A later request may have changed it again.
            if presets[name] == preset { presets[name] = stored[name] }
            context.saveState()
            update()
            context.refuse(request, error)
        }
    }

    private func go(to name: String, rate: Double?, _ request: Request) throws(CommandError) {
        guard let preset = presets[name] ?? (name == PresetsSet.home ? home : nil) else {
            let all = [PresetsSet.home] + presets.keys.filter { $0 != PresetsSet.home }.sorted()
            throw unknown(name, field: "go", among: all)
        }
        let values = settableValues(of: preset)
        guard !values.isEmpty else { return show(preset, rate: rate, request) }
        let lastTicket = zoom.lastTicket
        controls.set(ControlsSet(values), for: request) { [self] result in
            guard request.isOpen else { return }
            switch result {
            case .failure(let error): context.refuse(request, error)
            // A newer request has moved the zoom meanwhile, or may do so alone.
            case .success where zoom.lastTicket != lastTicket || lease.refusal(of: request) != nil:
                context.reply(.superseded, to: request)
            case .success:
                // The motors took their time: a ramp begins now.
                request.modelTime = nil
                show(preset, rate: rate, request)
            }
        }
    }

    /// The values of a preset that can be set now. A control that another one disables can be set only
    /// together with that.
    private func settableValues(of preset: PresetFields) -> [String: ControlValue] {
        let all = controls.all
        let affectsOthers = all.contains { $0.mayAffectOthers && preset.controls[$0.name] != nil }
        let known = Set(all.filter { $0.disabledBecause == nil || affectsOthers }.map(\.name))
        return preset.controls.filter { known.contains($0.key) }
    }

    private func show(_ preset: PresetFields, rate: Double?, _ request: Request) {
        zoom.handle(.show(factor: preset.factor, center: preset.center, rate: rate), request)
    }

    private func unknown(_ name: String, field: String, among names: [String]) -> CommandError {
        let known = names.isEmpty ? "none that was saved" : names.listed(atMost: Self.maxNames)
        return CommandError(
            .badPayload, "\(field): there is no preset \"\(name)\"; there is \(known).", field: field)
    }

    // MARK: Views

    /// The present view as a preset.
    private var view: PresetFields {
        let values = controls.all.filter {
            Self.viewControls.contains($0.name) && $0.disabledBecause == nil
        }
        return PresetFields(
            factor: zoom.model.factor.forMessages,
            center: zoom.model.center,
            controls: Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.value.forMessages) }))
    }

    private var widest: Double { context.settings.zoom.lowerBound }

    /// The widest view, straight ahead.
    private var home: PresetFields {
        let motors = controls.all.filter { Self.motors.contains($0.name) && $0.disabledBecause == nil }
        return PresetFields(
            factor: widest, center: .middle,
            controls: Dictionary(
                uniqueKeysWithValues: motors.map { ($0.name, $0.defaultValue.forMessages) }))
    }

    /// The preset that the camera shows now, if any.
    private var current: String? {
        guard device.absence == nil, zoom.isSettled else { return nil }
        // The zoom is published often, and rules out most presets: the controls are compared only for the
        // others.
        let near = presets.filter { isNear($0.value.factor, $0.value.center) }
        let isNearHome = presets[PresetsSet.home] == nil && isNear(widest, .middle)
        if near.isEmpty && !isNearHome { return nil }
        let values = view.controls
        if let saved = near.filter({ values.contains($0.value.controls) }).keys.min() { return saved }
        return isNearHome && values.contains(home.controls) ? PresetsSet.home : nil
    }

    /// Whether the zoom is within a thousandth of a place.
    private func isNear(_ factor: Double, _ center: Point) -> Bool {
        let tolerance = 0.001
        return abs(zoom.model.factor / factor - 1) < tolerance
            && abs(zoom.model.center.x - center.x) < tolerance
            && abs(zoom.model.center.y - center.y) < tolerance
    }

    // MARK: State

    override func observe(_ change: CameraChange) {
        switch change {
        case .zoomPublished, .controlsPublished, .deviceDetached: update()
        default: break
        }
    }

    override var state: PresetsState? { PresetsState(presets: presets, current: current) }
}

extension PresetFields {
    /// The client that saved it, as quotas know it.
    fileprivate var owner: ClientIdentity? {
        client.map { ClientIdentity(stored: $0, isProved: proved == true) }
    }
}

extension [String: ControlValue] {
    /// Whether all of these values are the same here.
    fileprivate func contains(_ others: Self) -> Bool { others.allSatisfy { self[$0] == $1 } }
}
