internal import Base
internal import CLinux
internal import Contract
internal import Core
internal import Glibc
internal import Settings

/// The files of one camera's photos and recordings, as clients see them: finished files with names that the
/// agent gives. Symbolic links are not followed below the configured folders.
///
/// Each call opens what it needs and closes it again: other threads and programs delete files at any time.
struct CameraFiles {
    let photos: FolderSettings
    let recordings: FolderSettings
    let open: RecordingFolder
    let camera: String

    // MARK: Folders

    private func directory(of kind: MediaKind) -> String {
        kind == .photo ? photos.directory : recordings.directory
    }

    /// Calls `body` with the descriptor of the camera's folder. Returns nil if there is no such folder: no
    /// file was stored yet.
    private func withFolder<Result>(
        of kind: MediaKind, _ body: (Int32) throws(CommandError) -> Result
    ) throws(CommandError) -> Result? {
        let above = clinux_open_folder(-1, directory(of: kind))
        if above == -ENOENT { return nil }
        try check(above, directory(of: kind), of: kind)
        defer { close(above) }
        let folder = clinux_open_folder(above, camera)
        if folder == -ENOENT { return nil }
        try check(folder, "\(directory(of: kind))/\(camera)", of: kind)
        defer { close(folder) }
        return try body(folder)
    }

    /// Calls `body` with each name of a camera's file of a kind, in any order.
    private func eachName(
        of kind: MediaKind, in folder: Int32, _ body: (String, MediaFileName.Parts) -> Void
    ) throws(CommandError) {
        do throws(FileError) {
            try Files.eachName(in: folder, directory(of: kind)) { name in
                guard let parts = MediaFileName.parts(of: name, camera: camera), parts.kind == kind else {
                    return
                }
                body(name, parts)
            }
        } catch {
            throw CommandError(.device, "\(error.path): \(error.reason) (\(kind.folderKey))")
        }
    }

    /// - Parameter kind: of the folder; nil: the path is that of a file.
    private func check(_ code: Int32, _ path: String, of kind: MediaKind? = nil) throws(CommandError) {
        if code >= 0 { return }
        let key = kind.map { " (\($0.folderKey))" } ?? ""
        throw CommandError(.device, "\(path): \(String(cString: strerror(-code)))\(key)")
    }

    // MARK: All files

    func count() throws(CommandError) -> MediaState {
        var count = MediaState()
        var newest: String?
        for kind in MediaKind.allCases {
            let amount = try withFolder(of: kind) { folder throws(CommandError) in
                var amount = MediaState.Amount()
                try eachName(of: kind, in: folder) { name, _ in
                    var file = clinux_file()
                    guard clinux_stat_at(folder, name, &file) == 0 else { return }
                    amount.count += 1
                    amount.bytes += Int(file.size)
                    if newest.map({ Self.isOlder($0, than: name) }) ?? true { newest = name }
                }
                return amount
            }
            switch kind {
            case .photo: count.photos = amount ?? .init()
            case .recording: count.recordings = amount ?? .init()
            }
        }
        count.newest = newest
        return count
    }

    /// The files of a page, and whether there are older ones.
    func list(_ page: MediaSet.Page) throws(CommandError) -> MediaPage {
        var newest = NewestNames(limit: page.limit + 1, before: page.before)
        var files: [String: MediaFields] = [:]
        for kind in MediaKind.allCases where page.kind == nil || page.kind == kind {
            _ = try withFolder(of: kind) { folder throws(CommandError) in
                try eachName(of: kind, in: folder) { name, _ in newest.add(name) }
                for name in newest.names where files[name] == nil {
                    var file = clinux_file()
                    // It may have been deleted meanwhile, or be of another kind.
                    guard let parts = MediaFileName.parts(of: name, camera: camera), parts.kind == kind,
                        clinux_stat_at(folder, name, &file) == 0
                    else { continue }
                    files[name] = MediaFields(
                        name: name, kind: kind, contentType: parts.contentType, bytes: Int(file.size),
                        createdAt: parts.createdAt)
                }
            }
        }
        let names = newest.names.prefix(page.limit)
        return MediaPage(
            files: names.compactMap { files[$0] }, next: newest.names.count > page.limit ? names.last : nil)
    }

    /// Names begin with the camera and the time, so that the older one is the lower one. Byte by byte: the
    /// order of texts in Unicode is another one.
    static func isOlder(_ a: String, than b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    // MARK: One file

    /// An open file.
    private struct Opened {
        let descriptor: Int32
        let fields: MediaFields
        var version: String { fields.version ?? "" }
    }

    private func noFile(_ name: String, _ field: String) -> CommandError {
        CommandError(
            .badPayload, "\(field): there is no photo or recording \(name).", field: field)
    }

    private func path(_ name: String, _ kind: MediaKind) -> String {
        MediaFolder.path(in: kind == .photo ? photos : recordings, camera: camera, name: name)
    }

    /// Calls `body` with a file that is open for reading.
    ///
    /// - Parameter field: of the command, that has the name.
    private func withFile<Result>(
        _ name: String, field: String, _ body: (Opened) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        guard let parts = MediaFileName.parts(of: name, camera: camera) else { throw noFile(name, field) }
        if parts.kind == .recording && open.isOpen(path(name, .recording)) { throw .fileIsRecorded }
        let result: Result? = try withFolder(of: parts.kind) { folder throws(CommandError) in
            var file = clinux_file()
            let descriptor = clinux_open_at(folder, name, &file)
            if descriptor == -ENOENT || descriptor == -ELOOP { throw noFile(name, field) }
            try check(descriptor, name)
            defer { close(descriptor) }
            let fields = MediaFields(
                name: name, kind: parts.kind, contentType: parts.contentType, bytes: Int(file.size),
                createdAt: parts.createdAt, version: Self.version(file))
            return try body(Opened(descriptor: descriptor, fields: fields))
        }
        guard let result else { throw noFile(name, field) }
        return result
    }

    /// A text that is another one when the content has changed, as far as the file system tells.
    private static func version(_ file: clinux_file) -> String {
        let numbers = [
            UInt64(bitPattern: file.size), file.device, file.number, UInt64(bitPattern: file.written),
            UInt64(bitPattern: file.changed),
        ]
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return Base64URL.text(of: SHA256.hash(of: bytes).prefix(15))
    }

    func describe(_ name: String) throws(CommandError) -> MediaFields {
        try withFile(name, field: "describe") { $0.fields }
    }

    /// - Parameter cache: hashes of versions that were computed before.
    func digest(_ name: String, _ cache: inout DigestCache) throws(CommandError) -> MediaFields {
        try withFile(name, field: "describe") { opened throws(CommandError) in
            var fields = opened.fields
            if let known = cache[opened.version] {
                fields.sha256 = known
                return fields
            }
            let hash = try Self.hash(of: opened)
            cache[opened.version] = hash
            fields.sha256 = hash
            return fields
        }
    }

    private static func hash(of opened: Opened) throws(CommandError) -> String {
        var digest = SHA256()
        let count: Int
        do throws(FileError) {
            count = try Files.eachPart(
                of: opened.descriptor, opened.fields.name, atMost: opened.fields.bytes
            ) { digest.update($0) }
        } catch {
            throw CommandError(.device, error.reason)
        }
        guard count == opened.fields.bytes else { throw .fileHasChanged }
        return Hexadecimal.text(of: digest.finish())
    }

    func read(_ part: MediaSet.Part) throws(CommandError) -> MediaPart {
        try withFile(part.name, field: "get") { opened throws(CommandError) in
            let total = opened.fields.bytes
            if let version = part.version, version != opened.version {
                throw CommandError(
                    .conflict, "\(part.name) has changed: it is version \(opened.version), not \(version).",
                    field: "version")
            }
            guard part.offset <= total else {
                throw CommandError(
                    .badPayload, "offset: \(part.name) has \(total) bytes.", field: "offset")
            }
            let length = min(part.length, total - part.offset)
            var failure: Int = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
                let got = clinux_read_at(opened.descriptor, bytes.baseAddress, length, off_t(part.offset))
                if got < 0 { failure = -got } else { count = got }
            }
            if failure != 0 { throw CommandError(.device, String(cString: strerror(Int32(failure)))) }
            guard bytes.count == length else { throw .fileHasChanged }
            return MediaPart(
                bytes: bytes,
                fields: MediaPartFields(
                    name: part.name, contentType: opened.fields.contentType, offset: part.offset,
                    total: total,
                    version: opened.version))
        }
    }

    func delete(_ name: String) throws(CommandError) {
        guard let parts = MediaFileName.parts(of: name, camera: camera) else {
            throw noFile(name, "delete")
        }
        if parts.kind == .recording && open.isOpen(path(name, .recording)) { throw .fileIsRecorded }
        let isDeleted = try withFolder(of: parts.kind) { folder throws(CommandError) in
            var file = clinux_file()
            guard clinux_stat_at(folder, name, &file) == 0 else { return false }
            try check(clinux_unlink_at(folder, name), name)
            return true
        }
        if isDeleted != true { throw noFile(name, "delete") }
    }
}

/// The newest of many names, without keeping the others.
struct NewestNames {
    private let limit: Int
    /// Nil: from the newest.
    private let before: String?
    /// The newest first.
    private(set) var names: [String] = []

    init(limit: Int, before: String?) { (self.limit, self.before) = (limit, before) }

    mutating func add(_ name: String) {
        if let before, !CameraFiles.isOlder(name, than: before) { return }
        if names.count == limit, let last = names.last, CameraFiles.isOlder(name, than: last) { return }
        let place = names.firstIndex { !CameraFiles.isOlder(name, than: $0) } ?? names.count
        names.insert(name, at: place)
        if names.count > limit { names.removeLast() }
    }
}

/// Hashes of files by their versions: a client that reads a file in parts describes it again after each
/// interruption.
struct DigestCache {
    private static let maxCount = 64

    private var hashes: [(version: String, hash: String)] = []

    subscript(version: String) -> String? {
        get { hashes.first { $0.version == version }?.hash }
        set {
            hashes.removeAll { $0.version == version }
            if let newValue { hashes.append((version, newValue)) }
            if hashes.count > Self.maxCount { hashes.removeFirst() }
        }
    }
}

extension CommandError {
    fileprivate static let fileIsRecorded = CommandError(
        .busy, "The recording is still being written. End it first.")
    fileprivate static let fileHasChanged = CommandError(
        .conflict, "The file was changed while it was read. Describe it again.")
}
