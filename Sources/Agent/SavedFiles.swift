import Contract
import Core
internal import State

/// What a file of the state contains.
struct StoredState<State: Form & Sendable>: Form, Sendable {
    let version: StoredVersion
    let state: State

    init(_ state: State) { (version, self.state) = (StoredVersion(), state) }

    init(_ f: inout some FormVisitor<Self>) {
        version = f.group(\.version)
        state = f("state", \.state, .any, "Of the agent or of a camera.")
    }
}

struct StoredVersion: Form, Sendable {
    /// The version that this program writes; 1 had a journal. A higher one was written by a newer program
    /// and is left alone.
    static let known = 2

    var number = known

    init() {}

    init(_ f: inout some FormVisitor<Self>) {
        number = f("version", \.number, .any, "Of the file.")
    }
}

/// Reads the files of the run before.
struct SavedFiles {
    static let agent = "agent"
    static func camera(_ id: String) -> String { "camera-\(id)" }

    struct Found<State> {
        var state: State
        /// A slot isn't whole: what it had is missing, if it was the newest.
        let isTorn: Bool
        let contents: SlotFile.Contents
        let document: SlotFile.Document
    }

    let folder: SlotFolder
    /// What was lost, for the log.
    private(set) var losses: [String] = []

    init(_ folder: SlotFolder) { self.folder = folder }

    /// The newest state in a file that can be used; nil: there is none. A file without one is set aside.
    ///
    /// - Throws: `StateStoreError`, also for a file of a newer program.
    mutating func read<State: Form & Sendable>(
        _ name: String, as type: State.Type = State.self
    ) throws -> Found<State>? {
        guard let contents = try folder.read(name) else { return nil }
        var reason = "none of its slots is whole"
        for document in contents.documents {
            do {
                let tree = try JSON(reading: document.bytes)
                let version = try StoredVersion(tree, .lenient).number
                guard version <= StoredVersion.known else {
                    throw StateStoreError.newerVersion(
                        path: folder.path(name), found: version, known: StoredVersion.known)
                }
                let state = try StoredState<State>(tree, .lenient).state
                if let camera = state as? SavedCamera {
                    noteLostPresets(of: name, camera, in: tree.object?["state"])
                }
                let isTorn = contents.tornSlots > 0 || document.bytes != contents.documents[0].bytes
                if isTorn {
                    losses.append("a slot of \(folder.path(name)) isn't whole: an earlier change may be lost")
                }
                return Found(state: state, isTorn: isTorn, contents: contents, document: document)
            } catch let error as CommandError {
                reason = "its state isn't what this program expects: \(error.message)"
            }
        }
        let aside = try folder.setAside(name)
        losses.append("\(folder.path(name)) is damaged (\(reason)); it was set aside as \(aside)")
        return nil
    }

    private mutating func noteLostPresets(of name: String, _ camera: SavedCamera, in tree: JSON?) {
        let presets = camera[Node.Presets.Saved.self].presets
        for preset in tree?.object?["presets"]?.object?.names ?? [] where presets[preset] == nil {
            losses.append("the preset \"\(preset)\" of \(name) isn't valid: it is left out")
        }
    }

    // MARK: The state of a version with a journal

    /// The agent and its cameras as that version left them. What isn't valid is left out.
    mutating func states(of earlier: EarlierState) -> (agent: SavedAgent?, cameras: [String: SavedCamera]) {
        guard let document = earlier.document else { return (nil, [:]) }
        do throws(CommandError) {
            let tree = try JSON(reading: document)
            let agent = try SavedAgent(tree, .lenient)
            var cameras: [String: SavedCamera] = [:]
            for member in tree.object?["cameras"]?.object?.members ?? [] {
                guard Topics.isName(member.name[...]) else { continue }
                let tree = Self.withNumbers(member.value)
                do throws(CommandError) {
                    let camera = try SavedCamera(tree, .lenient)
                    noteLostPresets(of: Self.camera(member.name), camera, in: tree)
                    cameras[member.name] = camera
                } catch {
                    losses.append("the state of the camera \(member.name) isn't valid: \(error.message)")
                }
            }
            return (agent, cameras)
        } catch {
            losses.append("\(folder.path) isn't what this program expects: \(error.message)")
            return (nil, [:])
        }
    }

    /// A camera of a version that reserved its numbers; after a clean stop, a reserve is the last number.
    private static func withNumbers(_ camera: JSON) -> JSON {
        guard var fields = camera.object else { return camera }
        func last(_ names: String...) -> JSON {
            .integer(names.compactMap { fields[$0]?.integer }.max() ?? 0)
        }
        fields["numbers"] = .object([
            "rev": last("revReserve"), "photo": last("photoReserve", "captures"),
            "recording": last("recordingReserve", "recordings"), "crashes": .integer(0),
        ])
        return .object(fields)
    }
}
