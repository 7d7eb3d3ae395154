import Glibc
import StateStore

/// A document like the agent's, small.
struct Note: Codable, Sendable, Equatable {
    var text: String
    var count: Int
    var factor: Double = 1
}

/// A document with changes.
struct Notes: JournaledDocument, Equatable {
    var counts: [String: Int] = [:]
    var factor = 1.0

    enum Change: Sendable {
        case set(String, Int)
        case remove(String)
        case scale(Double)
    }

    mutating func apply(_ change: Change) throws -> JSONTree? {
        var after = self
        switch change {
        case .set(let name, let count): after.counts[name] = count
        case .remove(let name): after.counts[name] = nil
        case .scale(let factor): after.factor = factor
        }
        var patch = MergePatch()
        try patch.add("counts", from: counts, to: after.counts)
        try patch.add("factor", from: factor, to: after.factor)
        self = after
        return patch.tree
    }
}

/// A folder that goes away with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/state-store-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
        }
    }

    deinit { removeAll(path) }

    func file(_ name: String) -> String { path + "/" + name }

    /// The names in the folder, sorted; without the lock.
    var names: [String] { list(path).filter { !$0.hasSuffix(".lock") } }
}

func list(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

func removeAll(_ path: String) {
    for name in list(path) { removeAll(path + "/" + name) }
    if rmdir(path) != 0 { unlink(path) }
}

func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 21)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

/// The error that a body throws; nil when it throws none.
func thrown(by body: () throws(StateStoreError) -> Void) -> StateStoreError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
