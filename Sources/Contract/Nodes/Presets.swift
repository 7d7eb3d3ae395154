package import ZoomModel

extension Node {
    package static var presets: Node { Node(Presets.self) }

    /// Views with names.
    package enum Presets: NodeContract {
        package typealias Command = PresetsSet
        package typealias State = PresetsState
        package static var name: String { "presets" }
    }
}

/// The payload of `presets/set`: saves, shows or deletes a named view.
package enum PresetsSet: CommandForm {
    package static let mayHaveTime = true

    /// Save the present view under this name.
    case save(String)
    /// Show the preset; `rate` in octaves per second, above 0; nil: without a ramp.
    case go(String, rate: Double?)
    /// Delete the preset.
    case delete(String)

    package var policy: CommandPolicy {
        switch self {
        case .save: CommandPolicy(savesState: true)
        case .go: CommandPolicy(movesZoom: true, savesState: true)
        case .delete: CommandPolicy(needsDevice: false, savesState: true)
        }
    }

    /// The preset that always exists: the widest factor, centred, motors at their defaults, unless a client
    /// saved another one under this name.
    package static let home = "home"

    package init(_ f: inout some FormVisitor<Self>) {
        let save = f.option(
            "save", { if case .save(let name) = $0 { name } else { nil } }, .upTo(64, .line),
            "Saves the present view.")
        let go = f.option(
            "go", { if case .go(let name, _) = $0 { name } else { nil } }, .upTo(64),
            "Shows the preset.")
        let delete = f.option(
            "delete", { if case .delete(let name) = $0 { name } else { nil } }, .upTo(64),
            "Deletes the preset.")
        let rate = f.maybe(
            "rate", { if case .go(_, let rate) = $0 { rate } else { nil } }, .above(0), FormText.rate)
        self =
            f.one(
                save.map(Self.save), go.map { .go($0, rate: rate) }, delete.map(Self.delete),
                else: "Send exactly one of save, go and delete, each with a name.") ?? .save("")
        f.only("rate", with: "go")
    }
}

/// A view that is saved under a name.
package struct PresetFields: Sendable, Equatable, Form {
    package var factor: Double
    package var center: Point
    package var controls: [String: ControlValue]
    package var client: String?
    package var proved: Bool?

    package init(
        factor: Double, center: Point, controls: [String: ControlValue], client: String? = nil
    ) {
        (self.factor, self.center, self.controls, self.client) = (factor, center, controls, client)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        factor = f("factor", \.factor, .above(0), "The zoom.")
        center = f("center", \.center, .any, "In fractions of the widest field.")
        controls = f(
            "controls", \.controls, .each(.any), "Pan, tilt and focus.")
        (client, proved) = f.client(\.client, \.proved, "Who saved it.")
    }
}

/// The state of `presets`.
package struct PresetsState: StateForm {
    package var presets: [String: PresetFields]
    package var current: String?

    package init(presets: [String: PresetFields], current: String?) {
        (self.presets, self.current) = (presets, current)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        presets = f("presets", \.presets, .each(.any), "By name.")
        current = f.maybe("current", \.current, .id, "The preset in view.")
    }
}

extension Node.Presets {
    package struct Saved: SavedPart {
        /// Of those that were read, only the ones that are valid.
        package var presets: [String: PresetFields] = [:]

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            let presets = f("presets", \.presets, .readable(.any), default: [:], "By name.")
            self.presets = presets.filter { $0.key.isSavedName && $0.value.isValid }
        }
    }
}

extension PresetFields {
    /// The agent saves only valid ones.
    fileprivate var isValid: Bool {
        factor > 0 && 0...1 ~= center.x && 0...1 ~= center.y
            && (client.map { TextRule.identity.fits($0) && proved != nil } ?? (proved == nil))
    }
}
