internal import Cameras
internal import LoopThread
internal import Messages
internal import ZoomModel

/// `presets`: views that are kept under names: zoom, viewport, pan, tilt and focus.
final class PresetsNode {
    private static let presetsAtMost = 64
    /// The controls that belong to a view, as far as a camera has them.
    private static let motors = ["pan_absolute", "tilt_absolute"]
    private static let controls =
        motors + ["focus_automatic_continuous", "autofocus", "focus_absolute", "focus"]

    private unowned let camera: Camera
    private(set) var presets: [String: PresetFields]
    private var said: (presets: [String: PresetFields], current: String?)?

    init(_ camera: Camera, saved: [String: PresetFields]) {
        self.camera = camera
        presets = saved
    }

    private var agent: Agent { camera.agent }

    func handle(_ command: PresetsSet, _ asker: Asker) {
        switch command {
        case .save(let name): save(name, asker)
        case .go(let name, let rate): go(to: name, rate: rate, asker)
        case .delete(let name):
            guard presets.removeValue(forKey: name) != nil else {
                return agent.refuse(unknown(name, field: "delete", among: presets.keys.sorted()), asker)
            }
            changed(asker)
        }
    }

    private func save(_ name: String, _ asker: Asker) {
        guard presets[name] != nil || presets.count < Self.presetsAtMost else {
            return agent.refuse(
                CommandError(
                    .busy, "save: there are \(presets.count) presets already; delete one first.",
                    field: "save"), asker)
        }
        presets[name] = view
        changed(asker)
    }

    private func changed(_ asker: Asker) {
        agent.saveSoon()
        publish()
        camera.homeAssistant.changed()
        camera.answer(.done, asker)
    }

    private func go(to name: String, rate: Double?, _ asker: Asker) {
        guard let preset = presets[name] ?? (name == PresetsSet.home ? home : nil) else {
            let all = [PresetsSet.home] + presets.keys.filter { $0 != PresetsSet.home }.sorted()
            return agent.refuse(unknown(name, field: "go", among: all), asker)
        }
        // What another control rules can be set only together with that.
        let hasRuler = camera.controls.contains { $0.mayRuleOthers && preset.controls[$0.name] != nil }
        let known = Set(camera.controls.filter { $0.disabledBecause == nil || hasRuler }.map(\.name))
        let controls = preset.controls.filter { known.contains($0.key) }
        guard !controls.isEmpty else { return show(preset, rate: rate, asker) }
        let lastTicket = camera.lastTicket
        camera.setControls(ControlsSet(controls), origin: asker.origin(.command)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): agent.refuse(error, asker)
            // Whoever moves the zoom by now is newer.
            case .success where camera.lastTicket != lastTicket: camera.answer(.superseded, asker)
            case .success: show(preset, rate: rate, asker)
            }
        }
    }

    private func show(_ preset: PresetFields, rate: Double?, _ asker: Asker) {
        camera.move(
            .show(
                factor: preset.factor, center: Point(x: preset.center.x, y: preset.center.y), rate: rate),
            asker)
    }

    // MARK: Views

    /// What the camera shows now.
    private var view: PresetFields {
        let controls = camera.controls.filter { Self.controls.contains($0.name) && $0.disabledBecause == nil }
        return PresetFields(
            factor: camera.model.factor.forMessages,
            center: .init(x: camera.model.center.x.forMessages, y: camera.model.center.y.forMessages),
            controls: Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0.value.forMessages) }))
    }

    private var widest: Double { camera.settings.zoom.lowerBound }
    private static let middle = ViewportState.Point(x: 0.5, y: 0.5)

    /// As wide as can be and straight ahead.
    private var home: PresetFields {
        let motors = camera.controls.filter { Self.motors.contains($0.name) && $0.disabledBecause == nil }
        return PresetFields(
            factor: widest, center: Self.middle,
            controls: Dictionary(
                uniqueKeysWithValues: motors.map { ($0.name, $0.defaultValue.forMessages) }))
    }

    /// The preset that is shown now, if one is.
    private var current: String? {
        guard camera.presence.problem == nil, camera.model.isSettled else { return nil }
        // The zoom is said by the hundred: what it rules out needs no look at the controls.
        let near = presets.filter { isNear($0.value.factor, $0.value.center) }
        let isNearHome = presets[PresetsSet.home] == nil && isNear(widest, Self.middle)
        if near.isEmpty && !isNearHome { return nil }
        let controls = view.controls
        if let saved = near.filter({ controls.has($0.value.controls) }).keys.min() { return saved }
        return isNearHome && controls.has(home.controls) ? PresetsSet.home : nil
    }

    /// Whether a person would take a place of the zoom for where it is.
    private func isNear(_ factor: Double, _ center: ViewportState.Point) -> Bool {
        let tolerance = 0.001
        return abs(camera.model.factor / factor - 1) < tolerance
            && abs(camera.model.center.x - center.x) < tolerance
            && abs(camera.model.center.y - center.y) < tolerance
    }

    /// Says which presets there are and which is shown, if that isn't what was said last.
    func publishIfChanged() {
        let current = current
        guard said?.presets != presets || said?.current != current else { return }
        publish(current)
    }

    func publish() { publish(current) }

    private func publish(_ current: String?) {
        said = (presets, current)
        camera.publish(
            PresetsState(
                presets: presets, current: current, rev: camera.rev, boot: agent.boot, ts: Timestamp.text()),
            as: .presets)
    }

    private func unknown(_ name: String, field: String, among names: [String]) -> CommandError {
        let known = names.isEmpty ? "none that was saved" : names.joined(separator: ", ")
        return CommandError(
            .badPayload, "\(field): there is no preset \"\(name)\"; there is \(known).", field: field)
    }
}

extension [String: ControlValue] {
    /// Whether all of these are as they are here.
    fileprivate func has(_ others: Self) -> Bool { others.allSatisfy { self[$0] == $1 } }
}
