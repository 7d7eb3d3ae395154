internal import Base
internal import Bus
internal import Contract
internal import Fleet
internal import Settings

/// A client of the cameras on an MQTT 5 broker. It reconnects until it is closed, or nothing refers to it.
public final class V4L2MQTTClient: Sendable {
    /// To the thread of the connection.
    private let calls: Inbox<@Sendable (FleetClient) -> Void>

    /// Connects, and reads all agents and cameras.
    ///
    /// - Parameters:
    ///   - hosts: such as `broker.lan` or `[::1]:1884`; the next one is tried after a failure.
    ///   - port: of the hosts without one; nil: 1883, or 8883 with TLS.
    ///   - usesTLS: with the authorities of the system, or with those in the file `authorities` (PEM).
    ///   - certificate: that of this client (PEM), with its key.
    ///   - client: the sender of commands, 1 to 64 of `a-z0-9_-`; nil: the user name, or `swift`.
    /// - Throws: ``Failure`` if the broker can't be reached, or the settings can't be used.
    public convenience init(
        _ hosts: String..., port: Int? = nil, username: String? = nil, password: String? = nil,
        usesTLS: Bool = false, authorities: String? = nil, certificate: (file: String, key: String)? = nil,
        baseTopic: String = "v4l2mqtt", client: String? = nil
    ) async throws {
        let client = client ?? username.flatMap { Topics.isName($0) ? $0 : nil } ?? "swift"
        let topics = ClientTopics(base: baseTopic, client: client, clientID: "swift-\(ClientRequest.newID())")
        var mqtt = MQTTSettings.standard
        mqtt.hosts = hosts.compactMap { BrokerAddress($0) }
        guard mqtt.hosts.count == hosts.count, hosts.count <= MQTTSettings.maxHosts, Topics.isName(client)
        else { throw Failure(error: CommandError(.unavailable, "A host or the client can't be used.")) }
        (mqtt.tls.isOn, mqtt.tls.caFile) = (usesTLS || authorities != nil, authorities)
        (mqtt.tls.certificateFile, mqtt.tls.keyFile) = (certificate?.file, certificate?.key)
        mqtt.port = port ?? MQTTSettings.defaultPort(usesTLS: mqtt.tls.isOn)
        (mqtt.username, mqtt.password) = (username, password.map { Secret($0) })
        mqtt.clientID = topics.clientID
        var settings = BusSettings(mqtt)
        // A photo is one message.
        (settings.versionKey, settings.maxPacketSize) = (nil, 16 << 20)
        let loop = EventLoop()
        try await self.init(FleetClient(topics, MQTTBus(settings, filters: [], on: loop), on: loop))
    }

    init(_ client: sending FleetClient) async throws {
        calls = try Inbox()
        // From here on the thread is the only one that uses it.
        nonisolated(unsafe) let client = client
        try Thread(name: "v4l2mqtt-client") { [calls] in
            calls.attach(to: client.loop) { $0(client) }
            client.loop.run()
            calls.detach(from: client.loop)
        }.detach()
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { ready in
                calls.send { $0.start { ready.resume(returning: $0) } }
            }
        } onCancel: { [calls] in
            calls.send { $0.close {} }
        }
        try Task.checkCancellation()
        if let failure { throw Failure(error: failure) }
    }

    deinit { calls.send { $0.loop.stop() } }

    /// Disconnects. What waits for an answer throws ``Failure``, and ``changes`` ends.
    public func close() async {
        await withCheckedContinuation { done in calls.send { $0.close { done.resume() } } }
    }

    /// The cameras that the agents list, sorted. Without a connection none is online.
    public var cameras: [Camera] {
        get async { await run { client in client.fleet.addresses.map { Camera($0, of: client) } } }
    }

    /// ``cameras`` now and after each change. A reader that is slow gets the newest ones.
    public var changes: AsyncStream<[Camera]> {
        let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = ClientRequest.newID()
        calls.send { $0.follow(id) { if $0 { wake.finish() } else { wake.yield() } } }
        wake.onTermination = { [calls] _ in calls.send { $0.unfollow(id) } }
        return AsyncStream {
            var iterator = wakeUps.makeAsyncIterator()
            return await iterator.next() == nil ? nil : await self.cameras
        }
    }

    /// The agents with their `info`; null: it has not come.
    public var agents: [String: Value] {
        get async { await run { $0.fleet.agents.mapValues { Value(payload: $0.facts.nodes["info"]) } } }
    }

    /// Sends a command, such as `send("zoom", ["factor": 2], to: "porch/door")`, and waits for its end.
    ///
    /// - Returns: the final answer.
    /// - Throws: ``Failure``; `CancellationError` if the task is cancelled. The camera may carry the command
    ///   out all the same.
    @discardableResult
    public func send(_ node: String, _ fields: Value = [:], to camera: String) async throws -> Value {
        Value(payload: try await answer(node, fields.object, to: camera, within: Answers.timeout).payload)
    }

    /// Multiplies the zoom factor, as two fingers do. A task that is cancelled ends the gesture.
    ///
    /// - Parameter anchor: the point that stays in its place, such as `["x": 0.5, "y": 0.5]`.
    /// - Returns: the answer to the end of the gesture.
    @discardableResult
    public func pinch(
        _ camera: String, scale: Double, over time: Duration = .milliseconds(300), anchor: Value? = nil
    ) async throws -> Value {
        let gesture = PinchGesture(
            name: ClientRequest.newID(), scale: scale, milliseconds: Int(time / .milliseconds(1)),
            anchor: anchor.map { JSON.object($0.object) })
        let end = gesture.sample(gesture.steps + 1)
        do {
            _ = try await answer("pinch", gesture.sample(0), to: camera, within: Answers.timeout)
            let begin = ContinuousClock.now
            for number in 1...gesture.steps {
                try await Task.sleep(until: begin + PinchGesture.interval * number)
                calls.send { $0.send(nil, "pinch", gesture.sample(number), to: camera) }
            }
            return try await send("pinch", Value(json: .object(end)), to: camera)
        } catch is CancellationError {
            calls.send { $0.send(nil, "pinch", end, to: camera) }
            throw CancellationError()
        }
    }

    /// Takes a photo.
    ///
    /// - Parameter fields: of the command `capture`, such as `["quality": 90]`.
    /// - Returns: the JPEG.
    public func photo(of camera: String, _ fields: Value = [:]) async throws -> [UInt8] {
        var command = fields.object
        command["reply"] = .text("image")
        let answer = try await answer("capture", command, to: camera, within: .seconds(120))
        guard answer.contentType == "image/jpeg" else {
            throw Failure(error: CommandError(.unsupported, "An agent with MQTT 3.1.1 can't send a photo."))
        }
        return answer.payload
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable (FleetClient) -> Result) async -> Result {
        await withCheckedContinuation { result in calls.send { result.resume(returning: body($0)) } }
    }

    private func answer(
        _ node: String, _ fields: JSONObject, to camera: String, within timeout: Duration
    ) async throws -> BusMessage {
        try Task.checkCancellation()
        let id = ClientRequest.newID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { final in
                calls.send {
                    $0.send(id, node, fields, to: camera, within: timeout) {
                        if !$0.isAccepted { final.resume(returning: $0) }
                    }
                }
                // The call of the handler may have come before this one.
                if Task.isCancelled { calls.send { $0.cancel(id) } }
            }
        } onCancel: {
            calls.send { $0.cancel(id) }
        }
        switch result {
        case .reply(let reply, let message) where reply.status == .done && reply.error == nil: return message
        case .reply(let reply, _): throw Failure(error: reply.error)
        case .file(let message): return message
        case .failed(let error):
            try Task.checkCancellation()
            throw Failure(error: error)
        }
    }
}
