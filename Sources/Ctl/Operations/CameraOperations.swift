internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// What each operation does with one camera.
extension CameraRequests {
    /// A transferred photo has no `accepted` before it, and the zoom may have to move first.
    private static let photoTimeout = Duration.seconds(120)

    func perform(_ operation: CtlOperation) throws(Ending) {
        switch operation {
        case .command(let node, let fields): conclude(try request(node, fields))
        case .listPresets: try listPresets()
        case .listControls: try listControls()
        case .showLease: try showLease()
        case .setControls(let settings): try set(settings)
        case .capture(let fields, let destination): try capture(fields, to: destination)
        case .startRecording(let fields): try startRecording(fields)
        case .record(let fields): try record(fields)
        case .pinch(let gesture): try pinch(gesture)
        case .cancel: try cancel(operation.messages)
        case .listMedia(let kind, let limit): try listMedia(kind, limit)
        case .copyMedia(let files, let place, let replaces):
            try copy(files, to: place, replaces: replaces)
        }
    }

    /// Prints the answer to a command that was carried out.
    ///
    /// - Parameter controls: those whose values are printed.
    private func conclude(_ reply: Reply, listing controls: Set<String> = []) {
        (options.json ? [JSON.line(reply)] : reply.lines(listing: controls)).forEach(session.output)
    }

    private func cancel(_ messages: [(node: Node, fields: JSONObject)]) throws(Ending) {
        var open = messages.count
        for message in messages { send(message.node, message.fields) }
        while true {
            guard case .reply(let reply, _, _) = try next() else { continue }
            open -= 1
            if open == 0 || reply.status == .done { return conclude(try checked(reply)) }
        }
    }

    // MARK: States

    /// Waits for retained states of the camera. The agent may have published them at another node of the
    /// broker: it is asked for them once.
    ///
    /// - Parameter read: nil: they have not come yet.
    private func states<Value>(_ read: (CameraFacts) -> Value?) throws(Ending) -> Value {
        while true {
            if let found = (session.fleet[address]?.facts).flatMap(read) { return found }
            guard session.fleet.isAwaited(address) else { break }
            _ = try next()
        }
        let presence = session.fleet.presence(of: address, at: session.now)
        let word = presence.state.map { $0 == .online ? "silent" : $0.rawValue } ?? "silent"
        throw .failed(.unavailable, "\(address) is \(word)\(presence.reason.map { ": \($0)" } ?? "").")
    }

    private func listPresets() throws(Ending) {
        let payload = try states { $0.payloads["presets"] }
        guard let state = JSON.value(Stamped<PresetsState>.self, from: payload)?.value,
            let json = JSON.objectOrNull(payload)
        else { throw .failed(.internal, "The camera's presets can't be read.") }
        (options.json ? [JSON.line(json)] : state.lines).forEach(session.output)
    }

    private func showLease() throws(Ending) {
        guard let state = JSON.objectOrNull(try states { $0.payloads["lease"] }) else {
            throw .failed(.internal, "The camera's lease can't be read.")
        }
        if options.json { return session.output(JSON.line(state)) }
        let (client, end) = (state.object?["client"]?.text, state.object?["until"]?.text)
        session.output(PrintableLine(client.map { "\($0) until \(end ?? "")" } ?? "No client has the lease."))
    }

    private func controls() throws(Ending) -> ControlTable {
        let (info, state) = try states { facts in
            facts.info.flatMap { info in facts.payloads["controls"].map { (info, $0) } }
        }
        guard let controls = ControlTable(info, state: state) else {
            throw .failed(.internal, "The camera's controls can't be read.")
        }
        return controls
    }

    private func listControls() throws(Ending) {
        try controls().lines(json: options.json).forEach(session.output)
    }

    private func set(_ settings: [ControlSetting]) throws(Ending) {
        let controls = try controls()
        let values: [String: ControlValue]
        do throws(CommandError) { values = try controls.values(of: settings) } catch { throw .failed(error) }
        conclude(try request(.controls, JSONObject(controls: values)), listing: Set(values.keys))
    }

    // MARK: Photos

    private func capture(_ fields: JSONObject, to destination: LocalPlace) throws(Ending) {
        var fields = fields
        fields["reply"] = .text("image")
        let id = send(.capture, fields, timeout: Self.photoTimeout)
        while true {
            switch try next() {
            case .bytes(let photo, id) where photo.contentType == "image/jpeg":
                return try deliver(photo.payload, to: destination)
            case .reply(let reply, id, _): throw photoNotSent(reply, destination)
            default: break
            }
        }
    }

    private func deliver(_ photo: [UInt8], to destination: LocalPlace) throws(Ending) {
        var place = destination
        if case .folder(let folder, _) = place { place = .folder(folder, of: address) }
        let time = Timestamp.text(options.wallClock()).filter { !"-:".contains($0) }
        guard let path = place.path(for: "\(time).jpg") else {
            return session.surroundings.printPhoto(photo)
        }
        try session.surroundings.write(photo, to: path)
        session.output(WrittenCopy(path: path, bytes: photo.count).line(json: options.json))
    }

    /// A final answer in place of the photo.
    private func photoNotSent(_ reply: Reply, _ destination: LocalPlace) -> Ending {
        if reply.status == .done, reply.error == nil {
            let path = reply.photos?.first.map { " It is there as \($0.path)." } ?? ""
            return .failed(.unsupported, "The agent speaks MQTT 3.1.1: it can't send the photo here.\(path)")
        }
        if destination != .standardOutput { return .refused(reply) }
        // Standard output is for the photo alone.
        session.printError(text: reply.error?.text ?? reply.status.rawValue)
        return .exit(1)
    }

    // MARK: Gestures

    private func pinch(_ gesture: PinchGesture) throws(Ending) {
        _ = try request(.pinch, gesture.sample(0))
        var last = ""
        for number in 1...gesture.steps + 1 {
            let due = session.now + PinchGesture.interval
            while session.now < due {
                if case .reply(let reply, _, _) = try next(before: due), reply.error != nil {
                    throw .refused(reply)
                }
            }
            last = send(.pinch, gesture.sample(number))
        }
        while true {
            guard case .reply(let reply, let id, _) = try next() else { continue }
            if id == last { return conclude(try checked(reply)) }
            if reply.error != nil { throw .refused(reply) }
        }
    }

    // MARK: Recordings

    /// Prints the path of the recording, which the state has.
    private func startRecording(_ fields: JSONObject) throws(Ending) {
        _ = try request(.recording, fields)
        let limit = session.now + Answers.timeout
        while session.now < limit {
            if let recording = session.fleet[address]?.facts.recording, recording.on,
                let path = recording.path
            {
                return session.output(options.json ? JSON.line(recording) : "recording, \(path)")
            }
            _ = try next(before: limit)
        }
        throw .failed(.unavailable, Silence.noAnswer.sentence(about: ""))
    }

    /// Waits for the end of the recording, which may be reported before the answer to the start. An interrupt
    /// stops it.
    private func record(_ fields: JSONObject) throws(Ending) {
        let start = send(.recording, fields)
        session.handlesInterrupts = true
        var earlier: [RecordingFields] = []
        var last: RecordingFields?
        var (hasStarted, isStopping) = (false, false)
        while true {
            if hasStarted, let last { return try finish(last, after: earlier) }
            switch try next() {
            case .reply(let reply, start, _):
                _ = try checked(reply)
                hasStarted = true
                if !isStopping {
                    session.lossNote = "If the agent still runs, the recording goes on until its end."
                }
            case .reply(let reply, _, _):
                // The answer to the stop. If it was carried out, the end of the recording follows.
                if reply.error != nil { throw .refused(reply) }
            case .file(let file, start, address):
                if file.reason != .continued {
                    last = last ?? file
                } else if !earlier.contains(file) {
                    // An event may arrive twice.
                    earlier.append(file)
                    report(file)
                }
            case .interrupt:
                send(.recording, ["on": .flag(false)])
                (isStopping, session.lossNote) = (true, nil)
            case .bytes, .file, nil: break
            }
        }
    }

    private func report(_ file: RecordingFields) {
        if options.json { session.output(JSON.line(file)) }
        if let failure = file.failure {
            session.printError(text: failure)
        } else if !options.json {
            session.output(PrintableLine(file.line))
        }
    }

    /// The recording has ended; this is its last file.
    private func finish(_ last: RecordingFields, after earlier: [RecordingFields]) throws(Ending) {
        if !options.json {
            // The events of these were lost.
            let reported = Set(earlier.compactMap(\.path))
            for path in last.earlier ?? [] where !reported.contains(path) {
                session.output(PrintableLine(RecordingFields.line(ofEarlier: path)))
            }
        }
        report(last)
        if last.error != nil { throw .exit(1) }
        guard last.reason.isRequested else {
            session.printError("The recording ended early: \(last.reason.rawValue).")
            throw .exit(1)
        }
        if earlier.contains(where: { $0.error != nil }) { throw .exit(1) }
    }
}
