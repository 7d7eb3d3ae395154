import Contract
import Core
internal import State

/// What a file of the state contains.
struct StoredState<State: Codable & Sendable>: Codable, Sendable {
    let version: Int
    let state: State

    init(_ state: State) { (version, self.state) = (StoredVersion.known, state) }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        version = try fields.decode(Int.self, forKey: .version)
        guard version <= StoredVersion.known else { throw StoredVersion.Newer(version: version) }
        state = try fields.decode(State.self, forKey: .state)
    }
}

enum StoredVersion {
    /// The version that this program writes; 1 had a journal. A higher one was written by a newer program
    /// and is left alone.
    static let known = 2

    struct Newer: Error { let version: Int }
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
    mutating func read<State: Codable & Sendable>(
        _ name: String, as type: State.Type = State.self
    ) throws -> Found<State>? {
        guard let contents = try folder.read(name) else { return nil }
        var reason = "none of its slots is whole"
        for document in contents.documents {
            do {
                let tree = try JSON(reading: document.bytes)
                let stored: StoredState<State> = try tree.decoded()
                if let camera = stored.state as? SavedCamera {
                    noteLostPresets(of: name, camera, in: tree.object?["state"])
                }
                let isTorn = contents.tornSlots > 0 || document.bytes != contents.documents[0].bytes
                if isTorn {
                    losses.append("a slot of \(folder.path(name)) isn't whole: an earlier change may be lost")
                }
                return Found(state: stored.state, isTorn: isTorn, contents: contents, document: document)
            } catch let error as StoredVersion.Newer {
                throw StateStoreError.newerVersion(
                    path: folder.path(name), found: error.version, known: StoredVersion.known)
            } catch {
                reason = "its state isn't what this program expects: \(error)"
            }
        }
        let aside = try folder.setAside(name)
        losses.append("\(folder.path(name)) is damaged (\(reason)); it was set aside as \(aside)")
        return nil
    }

    private mutating func noteLostPresets(of name: String, _ camera: SavedCamera, in tree: JSON?) {
        for preset in tree?.object?["presets"]?.object?.names ?? [] where camera.presets[preset] == nil {
            losses.append("the preset \"\(preset)\" of \(name) isn't valid: it is left out")
        }
    }

    // MARK: The state of a version with a journal

    /// The agent and its cameras as that version left them. What isn't valid is left out.
    mutating func states(of earlier: EarlierState) -> (agent: SavedAgent?, cameras: [String: SavedCamera]) {
        guard let document = earlier.document else { return (nil, [:]) }
        do {
            let tree = try JSON(reading: document)
            let agent: SavedAgent = try tree.decoded()
            var cameras: [String: SavedCamera] = [:]
            for member in tree.object?["cameras"]?.object?.members ?? [] {
                guard Topics.isName(member.name[...]) else { continue }
                let tree = Self.withNumbers(member.value)
                do {
                    let camera: SavedCamera = try tree.decoded()
                    noteLostPresets(of: Self.camera(member.name), camera, in: tree)
                    cameras[member.name] = camera
                } catch {
                    losses.append("the state of the camera \(member.name) isn't valid: \(error)")
                }
            }
            return (agent, cameras)
        } catch {
            losses.append("\(folder.path) isn't what this program expects: \(error)")
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
