internal import Base
internal import Bus
internal import Contract

/// What each operation does, step by step, once its camera is chosen.
extension Conversation {
    mutating func start(_ address: CameraAddress, at now: Instant) -> [Action] {
        let exchange = Exchange(
            address, options, of: fleet.agents[address.agent],
            step: .states(quiet: now + Self.quietPeriod, latest: now + Self.longestReading))
        state = .exchanging(exchange)
        let id = exchange.nextID
        switch operation {
        case .listPresets, .listControls, .setControls: return statesChanged(exchange, at: now)
        case .command(let node, let fields):
            exchange.step = .answer(listing: [])
            return [exchange.send(node, fields, at: now)]
        case .capture(let fields, let destination):
            exchange.step = .photo(request: id, to: destination)
            var fields = fields
            fields["reply"] = .text("image")
            return [exchange.send(.capture, fields, timeout: Self.photoTimeout, at: now)]
        case .startRecording(let fields):
            exchange.step = .recordingStart
            return [exchange.send(.recording, fields, at: now)]
        case .record(let fields):
            exchange.step = .timedStart(request: id, end: nil)
            return [exchange.send(.recording, fields, at: now)]
        case .pinch(let gesture):
            exchange.step = .pinchStart(gesture)
            return [exchange.send(.pinch, gesture.sample(0), at: now)]
        case .cancel(let id):
            exchange.step = .cancellation
            return Node.allCases.filter { $0.contract.mayWait }.map {
                exchange.send($0, ["cancel": .text(id)], at: now)
            }
        case .listMedia(let kind, let limit):
            let listing = MediaListing(kind: kind, limit: limit)
            exchange.step = .mediaList(listing)
            return [exchange.send(.media, listing.request, at: now)]
        case .copyMedia(let selection, _, _): return startCopies(of: selection, exchange, at: now)
        }
    }

    /// A message of an agent or a camera, which the fleet has taken in.
    mutating func advance(_ exchange: Exchange, by message: BusMessage, at now: Instant) -> [Action] {
        switch exchange.step {
        case .states(let quiet, let latest):
            exchange.step = .states(quiet: max(quiet, now + Self.quietPeriod), latest: latest)
            return statesChanged(exchange, at: now)
        case .recordingPath: return printPath(exchange)
        case .timedStart(let request, nil):
            guard let file = finishedFile(of: request, message, exchange) else { return [] }
            if file.reason == .continued { return goOn(after: file, exchange) }
            exchange.step = .timedStart(request: request, end: file)
        case .timedEnd(let request):
            guard let file = finishedFile(of: request, message, exchange) else { return [] }
            return file.reason == .continued ? goOn(after: file, exchange) : finish(file, exchange)
        case .answer, .cancellation, .photo, .recordingStart, .timedStart, .pinchStart, .pinchSample,
            .pinchEnd, .mediaList,
            .mediaDescription, .mediaPart:
            break
        }
        return []
    }

    /// A message on a topic for answers.
    mutating func answered(_ message: BusMessage, at now: Instant) -> [Action] {
        guard case .exchanging(let exchange) = state else { return [] }
        if case .mediaPart(let copy, let request) = exchange.step, message.contentType != "application/json",
            message.contentType != nil
        {
            return received(message, copy, request, exchange)
        }
        if message.contentType == "image/jpeg" {
            guard case .photo(let request, let destination) = exchange.step,
                exchange.correlatedRequest(of: message) == request
            else { return [] }
            return deliver(message.payload, to: destination)
        }
        guard let reply = exchange.receive(message) else { return [] }
        return reply.status == .accepted
            ? exchange.noteThatItWaits(reply) : answered(reply, exchange, at: now)
    }

    /// The final answer to one of the requests.
    private mutating func answered(_ reply: Reply, _ exchange: Exchange, at now: Instant) -> [Action] {
        let failed = reply.status != .done || reply.error != nil
        switch exchange.step {
        case .states, .recordingPath: return []
        case .answer(let controls): return conclude(reply, listing: controls)
        case .cancellation:
            // Of the nodes, the one that has the command carries it out.
            return failed && !exchange.pending.isEmpty ? [] : conclude(reply)
        case .photo(_, let destination): return photoNotSent(reply, destination)
        case .recordingStart:
            if failed { return conclude(reply) }
            exchange.step = .recordingPath
            exchange.answerDeadline = now + Exchange.answerTimeout
            return printPath(exchange)
        case .timedStart(let request, let end) where reply.id == request:
            if failed { return conclude(reply) }
            if let end { return finish(end, exchange) }
            exchange.step = .timedEnd(request: request)
            exchange.answerDeadline = nil
            return []
        case .timedStart, .timedEnd:
            // The answer to the stop. If it was carried out, the end of the recording follows.
            return reply.error == nil ? [] : conclude(reply)
        case .pinchStart(let gesture):
            if failed { return conclude(reply) }
            exchange.step = .pinchSample(gesture, number: 1, at: now + PinchGesture.interval)
            return []
        case .pinchSample: return reply.error == nil ? [] : conclude(reply)
        case .mediaList(let listing): return listed(reply, listing, exchange, at: now)
        case .mediaDescription(let path): return described(reply, path, exchange)
        case .mediaPart: return reply.error == nil ? [] : conclude(reply)
        case .pinchEnd(let request):
            return reply.error == nil && reply.id != request ? [] : conclude(reply)
        }
    }

    /// The step's own deadline.
    mutating func stepTimeout(_ exchange: Exchange, at now: Instant) -> [Action] {
        switch exchange.step {
        case .states: return statesMissing(exchange, at: now)
        case .pinchSample(let gesture, let number, _):
            let isLast = number > gesture.steps
            exchange.step =
                isLast
                ? .pinchEnd(request: exchange.nextID)
                : .pinchSample(gesture, number: number + 1, at: now + PinchGesture.interval)
            return [exchange.send(.pinch, gesture.sample(number), at: now)]
        default: return []
        }
    }

    // MARK: States

    /// Goes on if all required states have been received.
    private mutating func statesChanged(_ exchange: Exchange, at now: Instant) -> [Action] {
        let root = "\(exchange.topics.root)/\(exchange.address.camera)/"
        let received = operation.requiredStates.compactMap { node in states[root + node] }
        guard received.count == operation.requiredStates.count else { return [] }
        switch operation {
        case .listPresets:
            guard let lines = PresetTable.lines(received[0], json: options.json) else {
                return fail(.internal, "The camera's presets can't be read.")
            }
            return end(0, lines.map { .printLine($0) })
        case .listControls:
            guard let controls = ControlTable(info: received[0], state: received[1]) else { break }
            return end(0, controls.lines(json: options.json).map { .printLine($0) })
        case .setControls(let settings):
            guard let controls = ControlTable(info: received[0], state: received[1]) else { break }
            return set(settings, of: controls, exchange, at: now)
        default: return []
        }
        return fail(.internal, "The camera's controls can't be read.")
    }

    private mutating func set(
        _ settings: [ControlSetting], of controls: ControlTable, _ exchange: Exchange, at now: Instant
    ) -> [Action] {
        do throws(CommandError) {
            let values = try controls.values(of: settings)
            exchange.step = .answer(listing: Set(values.keys))
            return [exchange.send(.controls, JSONObject(controls: values), at: now)]
        } catch {
            return fail(error)
        }
    }

    /// The agent may have published the states at another node of the broker: it is asked for them once.
    private mutating func statesMissing(_ exchange: Exchange, at now: Instant) -> [Action] {
        if fleet.agents[exchange.address.agent]?.absence == nil, let request = exchange.askForStates() {
            let latest = now + FleetObservation.askingPeriod * 2
            exchange.step = .states(quiet: now + FleetObservation.askingPeriod, latest: latest)
            return [request]
        }
        let (state, reason) = fleet.availability(of: exchange.address)
        let word = state.map { $0 == .online ? "silent" : $0.rawValue } ?? "silent"
        return fail(.unavailable, "\(exchange.address) is \(word)\(reason.map { ": \($0)" } ?? "").")
    }

    // MARK: Photos

    private mutating func deliver(_ photo: [UInt8], to destination: PhotoDestination) -> [Action] {
        switch destination {
        case .standardOutput: return end(0, [.printPhoto(photo)])
        case .file(let path):
            let written = WrittenCopy(path: path, bytes: photo.count)
            return end(
                0, [.writePhoto(photo, path: path), .printLine(written.line(json: options.json))])
        }
    }

    /// A final answer in place of the photo.
    private mutating func photoNotSent(_ reply: Reply, _ destination: PhotoDestination) -> [Action] {
        if reply.status == .done, reply.error == nil {
            let path = reply.photos?.first.map { " It is there as \($0.path)." } ?? ""
            return fail(.unsupported, "The agent speaks MQTT 3.1.1: it can't send the photo here.\(path)")
        }
        if case .file = destination { return conclude(reply) }
        // Standard output is for the photo alone.
        return end(1, [.printError(PrintableLine(reply.error?.text ?? reply.status.rawValue))])
    }

    // MARK: Recordings

    private mutating func printPath(_ exchange: Exchange) -> [Action] {
        guard let recording = fleet.cameras[exchange.address]?.recording, recording.on,
            let path = recording.path
        else { return [] }
        return end(
            0, [.printLine(options.json ? JSON.line(recording) : "recording, \(path)")])
    }

    /// The file of the recording that a message reports as complete; nil: the message is about another one.
    private func finishedFile(
        of request: String, _ message: BusMessage, _ exchange: Exchange
    ) -> RecordingFields? {
        guard message.topic == exchange.topics.event(camera: exchange.address.camera),
            let event = JSON.value(Event.self, from: message.payload), event.id == request,
            event.event == .recordingFinished
        else { return nil }
        return event.recording
    }

    /// A file is complete, and the recording goes on in another one.
    private mutating func goOn(after file: RecordingFields, _ exchange: Exchange) -> [Action] {
        // An event may arrive twice.
        guard !exchange.earlierFiles.contains(file) else { return [] }
        exchange.earlierFiles.append(file)
        return report(file)
    }

    private func report(_ file: RecordingFields) -> [Action] {
        let failure = file.failure.map { Action.printError(PrintableLine($0)) }
        if options.json { return [.printLine(JSON.line(file))] + [failure].compactMap { $0 } }
        return [failure ?? .printLine(PrintableLine(file.line))]
    }

    /// The recording has ended; this is its last file.
    private mutating func finish(_ recording: RecordingFields, _ exchange: Exchange) -> [Action] {
        var actions: [Action] = []
        if !options.json {
            // The events of these were lost.
            let reported = Set(exchange.earlierFiles.compactMap(\.path))
            actions += (recording.earlier ?? []).filter { !reported.contains($0) }
                .map { .printLine(PrintableLine(RecordingFields.line(ofEarlier: $0))) }
        }
        actions += report(recording)
        if recording.error != nil { return end(1, actions) }
        guard recording.reason.isRequested else {
            return end(
                1, actions + [.printError("The recording ended early: \(recording.reason.rawValue).")])
        }
        return end(exchange.earlierFiles.contains { $0.error != nil } ? 1 : 0, actions)
    }
}
