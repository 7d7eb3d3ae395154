internal import Base
internal import Bus
internal import Contract

/// Lists and copies of photos and recordings.
extension Conversation {
    /// A part comes as soon as the agent's disk and the broker have it.
    private static let partTimeout = Duration.seconds(30)

    // MARK: Lists

    mutating func listed(
        _ reply: Reply, _ listing: MediaListing, _ exchange: Exchange, at now: Instant
    ) -> [Action] {
        guard reply.status == .done, reply.error == nil, let page = reply.media else {
            return conclude(reply)
        }
        var listing = listing
        if listing.add(page, next: reply.next) {
            exchange.step = .mediaList(listing)
            return [exchange.send(.media, listing.request, at: now)]
        }
        if case .copyMedia = operation {
            remaining = listing.found.map(\.name)
            return nextCopy(exchange, at: now)
        }
        return end(0, MediaTable.lines(listing.found, json: options.json).map { .printLine($0) })
    }

    // MARK: Copies

    mutating func startCopies(
        of selection: MediaSelection, _ exchange: Exchange, at now: Instant
    ) -> [Action] {
        switch selection {
        case .names(let names):
            remaining = names
            return nextCopy(exchange, at: now)
        case .newest(let kind, let count):
            let listing = MediaListing(kind: kind, limit: count)
            exchange.step = .mediaList(listing)
            return [exchange.send(.media, listing.request, at: now)]
        }
    }

    /// Has the agent describe the next file; ends if there is none.
    private mutating func nextCopy(_ exchange: Exchange, at now: Instant) -> [Action] {
        guard case .copyMedia(_, let place, _) = operation, let name = remaining.first else { return end(0) }
        guard let path = place.path(for: name) else {
            return fail(.internal, "The agent has a file whose name can't be that of a local one: \(name)")
        }
        exchange.step = .mediaDescription(path: path)
        state = .exchanging(exchange)
        return [exchange.send(.media, ["describe": .text(name)], at: now)]
    }

    /// The agent has described the file.
    mutating func described(_ reply: Reply, _ path: String, _ exchange: Exchange) -> [Action] {
        guard reply.status == .done, reply.error == nil else { return conclude(reply) }
        guard let file = reply.file, file.sha256 != nil, file.version != nil else {
            return fail(.internal, "The agent's description of the file can't be read.")
        }
        guard case .copyMedia(_, _, let replaces) = operation else { return [] }
        state = .copying(MediaCopy(file: file, path: path), exchange)
        return [.copy(.open(path: path, replaces: replaces, bytes: file.bytes))]
    }

    /// The result of ``Action/copy(_:)``.
    package mutating func copied(_ result: CopyResult, at now: Instant) -> [Action] {
        guard case .copying(var copy, let exchange) = state else { return [] }
        switch result {
        case .failed(let error): return fail(error)
        case .opened(let bytes):
            copy.opened(bytes)
            state = .copying(copy, exchange)
            if copy.rest < 0 { return [.copy(.restart)] }
        case .appended: break
        case .complete:
            written.append(copy.written)
            remaining.removeFirst()
            return [.printLine(copy.written.line(json: options.json))] + nextCopy(exchange, at: now)
        case .differs:
            // What an earlier copy has left was of another version.
            if copy.isResumed { return [.copy(.restart)] }
            return fail(.conflict, "The copy is not the agent's file: it has another hash.")
        }
        return nextPart(copy, exchange, at: now)
    }

    private mutating func nextPart(_ copy: MediaCopy, _ exchange: Exchange, at now: Instant) -> [Action] {
        guard copy.rest > 0 else {
            state = .copying(copy, exchange)
            return [.copy(.finish(sha256: copy.file.sha256 ?? ""))]
        }
        exchange.step = .mediaPart(copy, request: exchange.nextID)
        state = .exchanging(exchange)
        return [exchange.send(.media, copy.request, timeout: Self.partTimeout, at: now)]
    }

    /// The bytes of a part.
    mutating func received(
        _ message: BusMessage, _ copy: MediaCopy, _ request: String, _ exchange: Exchange
    ) -> [Action] {
        guard exchange.correlatedRequest(of: message) == request else { return [] }
        var copy = copy
        guard (1...min(MediaCopy.partBytes, copy.rest)).contains(message.payload.count) else {
            return fail(.internal, "The agent sent \(message.payload.count) bytes of the file.")
        }
        exchange.end(request)
        copy.append(message.payload.count)
        state = .copying(copy, exchange)
        return [.copy(.append(message.payload))]
    }
}
