internal import MQTTBus
internal import Messages
internal import Terminal

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
        var (listing, exchange) = (listing, exchange)
        if listing.add(page, next: reply.next) {
            exchange.step = .mediaList(listing)
            let request = exchange.send(.media, listing.request, at: now)
            state = .exchanging(exchange)
            return [request]
        }
        return end(0, MediaTable.lines(listing.found, json: options.json).map { .printLine($0) })
    }

    // MARK: Copies

    /// The agent has described the file.
    mutating func described(_ reply: Reply, _ path: String, _ exchange: Exchange) -> [Action] {
        guard reply.status == .done, reply.error == nil else { return conclude(reply) }
        guard let file = reply.file, file.sha256 != nil, file.version != nil else {
            return fail(.internal, "The agent's description of the file can't be read.")
        }
        guard case .copyMedia(_, _, let replaces) = operation else { return [] }
        state = .copying(MediaCopy(file, path: path), exchange)
        return [.copy(.open(path: path, replaces: replaces))]
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
            let file = copy.file
            let line: PrintableLine =
                options.json
                ? JSON.line(MediaCopy.Written(path: copy.path, bytes: file.bytes, sha256: file.sha256))
                : "\(copy.path), \(file.bytes) bytes"
            return end(0, [.printLine(line)])
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
        var exchange = exchange
        exchange.step = .mediaPart(copy, request: exchange.nextID)
        let request = exchange.send(.media, copy.request, timeout: Self.partTimeout, at: now)
        state = .exchanging(exchange)
        return [request]
    }

    /// The bytes of a part.
    mutating func received(
        _ message: BusMessage, _ copy: MediaCopy, _ request: String, _ exchange: Exchange
    ) -> [Action] {
        guard exchange.correlatedRequest(of: message) == request else { return [] }
        var (copy, exchange) = (copy, exchange)
        guard (1...min(MediaCopy.partBytes, copy.rest)).contains(message.payload.count) else {
            return fail(.internal, "The agent sent \(message.payload.count) bytes of the file.")
        }
        exchange.end(request)
        copy.append(message.payload.count)
        state = .copying(copy, exchange)
        return [.copy(.append(message.payload))]
    }
}
