internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// Lists and copies of photos and recordings.
extension CameraRequests {
    /// A part comes as soon as the agent's disk and the broker have it.
    private static let partTimeout = Duration.seconds(30)

    func listMedia(_ kind: MediaKind?, _ limit: Int) throws(Ending) {
        let files = try list(kind, limit: limit)
        if options.json { return session.output(JSON.line(JSON.object(["media": .list(files.map(\.json))]))) }
        var table = TextTable(["NAME", "KIND", "SIZE", "CREATED"])
        for file in files {
            table.add([file.name, file.kind.rawValue, file.bytes.bytesText, file.createdAt])
        }
        table.lines.forEach(session.output)
    }

    /// The newest files, page by page.
    private func list(_ kind: MediaKind?, limit: Int) throws(Ending) -> [MediaFields] {
        var found: [MediaFields] = []
        var before: String?
        while true {
            let list: JSONObject = [
                "kind": kind.map { .text($0.rawValue) }, "before": before.map(JSON.text),
                "limit": .integer(min(100, limit - found.count)),
            ]
            let reply = try request(.media, ["list": .object(list)])
            guard let page = reply.media else { throw .failed(.unreadableAnswer) }
            found += page.prefix(limit - found.count)
            before = reply.next
            // A page without files would be requested for ever.
            if before == nil || page.isEmpty || found.count >= limit { return found }
        }
    }

    /// Copies files to local ones, one after the other.
    ///
    /// - Parameter written: called with each copy that is complete.
    func copy(
        _ files: MediaSelection, to place: LocalPlace, replaces: Bool,
        written: (WrittenCopy) -> Void = { _ in }
    ) throws(Ending) {
        let names: [String]
        switch files {
        case .names(let all): names = all
        case .newest(let kind, let count): names = try list(kind, limit: count).map(\.name)
        }
        for name in names {
            guard let path = place.path(for: name) else {
                throw .failed(
                    .internal, "The agent has a file whose name can't be that of a local one: \(name)")
            }
            let copy = try copy(name, to: path, replaces: replaces)
            written(copy)
            session.output(copy.line(json: options.json))
        }
    }

    private func copy(_ name: String, to path: String, replaces: Bool) throws(Ending) -> WrittenCopy {
        guard let file = try request(.media, ["describe": .text(name)]).file, let hash = file.sha256,
            let version = file.version
        else { throw .failed(.internal, "The agent's description of the file can't be read.") }
        let local = try session.surroundings.openCopy(path, replaces: replaces, bytes: file.bytes)
        var copied = local.bytes
        var isResumed = copied > 0
        while true {
            while copied < file.bytes {
                let length = min(MediaSet.longestPart, file.bytes - copied)
                let part = try part([
                    "get": .text(file.name), "offset": .integer(copied), "length": .integer(length),
                    "version": .text(version),
                ])
                // Shorter ones could go on for ever.
                guard part.count == length else {
                    throw .failed(.internal, "The agent sent \(part.count) bytes of the file.")
                }
                try local.append(part)
                copied += part.count
            }
            if copied == file.bytes, try local.finish(sha256: hash) {
                return WrittenCopy(path: path, bytes: file.bytes, sha256: hash)
            }
            // What an earlier copy has left was of another version.
            guard isResumed else {
                throw .failed(.conflict, "The copy is not the agent's file: it has another hash.")
            }
            try local.restart()
            (copied, isResumed) = (0, false)
        }
    }

    /// The bytes that are the answer to a request.
    private func part(_ fields: JSONObject) throws(Ending) -> [UInt8] {
        let id = send(.media, fields, timeout: Self.partTimeout)
        while true {
            switch try next() {
            case .bytes(let message, id):
                end(id)
                return message.payload
            case .reply(let reply, id, _):
                _ = try checked(reply)
                throw .failed(.unreadableAnswer)
            default: break
            }
        }
    }
}

/// A local file that is complete, as it is printed as JSON.
struct WrittenCopy: Equatable {
    let path: String
    let bytes: Int
    var sha256: String?

    var json: JSON {
        .object(["path": .text(path), "bytes": .integer(bytes), "sha256": sha256.map(JSON.text)])
    }

    func line(json: Bool) -> PrintableLine { json ? JSON.line(self.json) : "\(path), \(bytes.bytesText)" }
}
