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
                return agent.refuse(unknown(name, field: "delete"), asker)
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
            return agent.refuse(unknown(name, field: "go"), asker)
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

    /// As wide as can be and straight ahead.
    private var home: PresetFields {
        let motors = camera.controls.filter { Self.motors.contains($0.name) && $0.disabledBecause == nil }
        return PresetFields(
            factor: camera.settings.zoom.lowerBound, center: .init(x: 0.5, y: 0.5),
            controls: Dictionary(
                uniqueKeysWithValues: motors.map { ($0.name, $0.defaultValue.forMessages) }))
    }

    /// The preset that is shown now, if one is.
    private var current: String? {
        guard camera.presence.problem == nil, camera.model.isSettled else { return nil }
        let view = view
        if let saved = presets.filter({ view.isLike($0.value) }).keys.min() { return saved }
        return presets[PresetsSet.home] == nil && view.isLike(home) ? PresetsSet.home : nil
    }

    /// Says which presets there are and which is shown, if that isn't what was said last.
    func publishIfChanged() {
        guard said?.presets != presets || said?.current != current else { return }
        publish()
    }

    func publish() {
        let current = current
        said = (presets, current)
        camera.publish(
            PresetsState(
                presets: presets, current: current, rev: camera.rev, boot: agent.boot, ts: Timestamp.text()),
            as: .presets)
    }

    private func unknown(_ name: String, field: String) -> CommandError {
        let known = ([PresetsSet.home] + presets.keys.filter { $0 != PresetsSet.home }.sorted())
            .joined(separator: ", ")
        return CommandError(
            .badPayload, "\(field): there is no preset \"\(name)\"; there is \(known).", field: field)
    }
}

extension PresetFields {
    /// Whether a person would take the two for the same.
    fileprivate func isLike(_ other: PresetFields) -> Bool {
        let tolerance = 0.001
        return abs(factor / other.factor - 1) < tolerance && abs(center.x - other.center.x) < tolerance
            && abs(center.y - other.center.y) < tolerance && other.controls.allSatisfy { controls[$0] == $1 }
    }
}
