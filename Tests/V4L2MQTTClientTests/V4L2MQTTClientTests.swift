import Contract
import Testing

@testable import Bus
@testable import V4L2MQTTClient

struct V4L2MQTTClientTests {
    private typealias Failure = V4L2MQTTClient.Failure

    // MARK: Cameras

    @Test func camerasAreThereWhenTheClientIsMade() async throws {
        let (client, _) = try await makeClient()
        let cameras = await client.cameras
        #expect(cameras.map(\.id) == ["porch/door"])
        #expect(cameras.first?.isOnline == true)
        #expect(cameras.first?.factor == 1)
        #expect(await client.agents == ["porch": ["cameras": ["door"]]])
    }

    @Test func changesFollowTheStates() async throws {
        let (client, broker) = try await makeClient()
        var changes = client.changes.makeAsyncIterator()
        #expect(await changes.next()?.first?.factor == 1)
        await broker(client) { $0.publish("porch/door/zoom", #"{"factor":2,"rev":4,"boot":1}"#) }
        #expect(await changes.next()?.first?.factor == 2)
        await broker(client) { $0.publish("porch/door/zoom/live", #"{"factor":2.5,"rev":4,"boot":1}"#) }
        #expect(await changes.next()?.first?.factor == 2.5)
        await broker(client) { $0.publish("porch/door/zoom", #"{"factor":3,"rev":5,"boot":1}"#) }
        #expect(await changes.next()?.first?.factor == 3)
        await broker(client) {
            $0.publish("porch/door/availability", #"{"state":"offline","reason":"busy"}"#)
        }
        let offline = await changes.next()?.first
        #expect(offline?.isOnline == false && offline?.reason == "busy")
        await broker(client) { $0.publish("porch/info", #"{"cameras":[]}"#) }
        #expect(await changes.next()?.isEmpty == true)
    }

    @Test func changesThatAreNotTakenInTimeAreOne() async throws {
        let (client, broker) = try await makeClient()
        var changes = client.changes.makeAsyncIterator()
        await broker(client) { broker in
            for rev in 4...1000 { broker.publish("porch/door/zoom", #"{"factor":2,"rev":\#(rev),"boot":1}"#) }
            broker.publish("porch/door/zoom", #"{"factor":3,"rev":1001,"boot":1}"#)
        }
        #expect(await changes.next()?.first?.factor == 3)
        await broker(client) { $0.publish("porch/door/zoom", #"{"factor":4,"rev":1002,"boot":1}"#) }
        #expect(await changes.next()?.first?.factor == 4)
    }

    @Test func theClientGoesOnAfterALossOfTheConnection() async throws {
        let (client, broker) = try await makeClient()
        var changes = client.changes.makeAsyncIterator()
        _ = await changes.next()
        await broker(client) { $0.disconnect() }
        let lost = await changes.next()?.first
        #expect(lost?.isOnline == false && lost?.reason == "The broker is gone.")
        await #expect(throws: Failure.self) { try await client.send("zoom", to: "porch/door") }
        await broker(client) { broker in
            broker.retained["porch/door/zoom"] = #"{"factor":4,"rev":9,"boot":1}"#
            broker.connect()
        }
        var camera: V4L2MQTTClient.Camera?
        while camera?.factor != 4, let all = await changes.next() { camera = all.first }
        #expect(camera?.isOnline == true)
    }

    // MARK: Commands

    @Test func aCommandHasOneAnswer() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                broker.answer(command, #"{"status":"accepted","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
                for factor in [2, 3] {
                    broker.answer(
                        command,
                        #"{"status":"done","factor":\#(factor),"boot":1,"ts":"2026-11-28T00:00:01.000Z"}"#)
                }
            }
        }
        let answer = try await client.send("zoom", ["factor": 2], to: "porch/door")
        #expect(answer["factor"]?.number == 2)
        let command = try #require(await broker(client) { $0.commands.last })
        #expect(command.topic == "v4l2mqtt/porch/door/zoom/set")
        let fields = String(decoding: command.payload, as: UTF8.self)
        #expect(fields.hasSuffix(#","client":"phone","factor":2}"#))
        #expect(command.responseTopic == "replies/phone/phone-1")
    }

    @Test func aRefusalIsThrown() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                broker.answer(
                    command,
                    #"{"status":"error","boot":1,"ts":"2026-11-28T00:00:00.000Z","error":{"code":"held","message":"No."}}"#
                )
            }
        }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.code == "held" && failure?.message == "No.")
    }

    @Test func aCommandThatWasSupersededIsNotDone() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                broker.answer(command, #"{"status":"superseded","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
            }
        }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.code == "superseded")
    }

    @Test func aCameraThatDoesNotAnswerIsGivenUp() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) { $0.commanded = { broker, _ in broker.clock.advance(by: .seconds(5)) } }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.message == "No answer was received.")
    }

    @Test(arguments: [
        (#"{"state":"stopped","boot":1}"#, "porch is stopped."),
        (#"{"state":"online","boot":2}"#, "porch has restarted."),
    ])
    func anAgentThatIsLostAnswersNoMore(availability: String, message: String) async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                broker.answer(command, #"{"status":"accepted","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
                broker.afterwards { broker.publish("porch/availability", availability) }
            }
        }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.message == message)
    }

    @Test func aLostConnectionEndsWhatWaits() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) { $0.commanded = { broker, _ in broker.disconnect() } }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.message == "The broker is gone.")
        #expect(await broker(client) { $0.withdrawn } == ["commands"], "it is not sent later")
    }

    @Test func theFieldsOfACommandDoNotReplaceItsID() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                let sent = V4L2MQTTClient.Value(payload: command.payload)
                let id = String(decoding: command.correlation ?? [], as: UTF8.self)
                guard sent["id"]?.text == id, sent["client"]?.text != "other" else { return }
                broker.answer(command, #"{"status":"done","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
            }
        }
        try await client.send("zoom", ["id": "x", "client": "other", "factor": 2], to: "porch/door")
    }

    @Test func theBrokerRefusesACommand() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                broker.afterwards { broker.publicationRefused(command.topic, "not authorized") }
            }
        }
        let failure = await failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        #expect(failure?.code == "forbidden")
    }

    @Test(arguments: [
        ("zoom", "porch/window", "There is no camera \"porch/window\"."),
        ("zom", "porch/door", "There is no node \"zom\" that takes commands."),
    ])
    func nothingIsSentToWhatIsNotThere(node: String, camera: String, message: String) async throws {
        let (client, broker) = try await makeClient()
        let failure = await failure { try await client.send(node, to: camera) }
        #expect(failure?.code == "bad_topic" && failure?.message == message)
        await broker(client) { $0.publish("porch/availability", #"{"state":"offline"}"#) }
        #expect(await self.failure { try await client.send("zoom", to: "porch/door") }?.code == "unavailable")
        #expect(await broker(client) { $0.commands.isEmpty })
    }

    @Test func aTaskThatIsCancelledWaitsNoLonger() async throws {
        let (client, broker) = try await makeClient()
        let (sent, send) = AsyncStream.makeStream(of: BusMessage.self)
        await broker(client) { $0.commanded = { _, command in send.yield(command) } }
        let task = Task { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        var commands = sent.makeAsyncIterator()
        let command = try #require(await commands.next())
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // An answer that comes now is none.
        await broker(client) {
            $0.answer(command, #"{"status":"done","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
        }
        let followed = Task { for await _ in client.changes {} }
        followed.cancel()
        await followed.value
    }

    // MARK: Photos and gestures

    @Test func aPhotoIsBytes() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in broker.answer(command, "JPEG", contentType: "image/jpeg") }
        }
        #expect(try await client.photo(of: "porch/door", ["quality": 90]) == Array("JPEG".utf8))
        let command = try #require(await broker(client) { $0.commands.last })
        #expect(String(decoding: command.payload, as: UTF8.self).hasSuffix(#""quality":90,"reply":"image"}"#))
    }

    @Test func aPinchHasABeginningAndAnEnd() async throws {
        let (client, broker) = try await makeClient()
        await broker(client) {
            $0.commanded = { broker, command in
                if command.correlation == nil { return }
                broker.answer(command, #"{"status":"done","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
            }
        }
        try await client.pinch("porch/door", scale: 2, over: .milliseconds(40), anchor: ["x": 0.5, "y": 0.5])
        let commands = await broker(client) { $0.commands }
        let samples = commands.map { V4L2MQTTClient.Value(payload: $0.payload) }
        #expect(samples.map { $0["phase"]?.text } == ["began", "changed", "changed", "ended"])
        #expect(samples.map { $0["seq"]?.number } == [0, 1, 2, 3])
        #expect(samples.last?["scale"]?.number == 2)
        #expect(commands.map(\.qos) == [.atLeastOnce, .atMostOnce, .atMostOnce, .atLeastOnce])
        #expect(Set(samples.compactMap { $0["gesture"]?.text }).count == 1)
    }

    /// - Parameter isAnswered: whether the beginning is.
    @Test(arguments: [true, false]) func aPinchThatIsCancelledEnds(isAnswered: Bool) async throws {
        let (client, broker) = try await makeClient()
        let (sent, send) = AsyncStream.makeStream(of: V4L2MQTTClient.Value.self)
        await broker(client) {
            $0.commanded = { broker, command in
                send.yield(V4L2MQTTClient.Value(payload: command.payload))
                guard isAnswered else { return }
                broker.answer(command, #"{"status":"done","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#)
            }
        }
        let task = Task { try await client.pinch("porch/door", scale: 2, over: .seconds(3600)) }
        var phases: [String?] = []
        for await sample in sent {
            phases.append(sample["phase"]?.text)
            if phases.count == 1 { task.cancel() }
            if phases.last == "ended" { break }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: The end

    @Test func aClosedClientEndsWhatWaits() async throws {
        let (client, broker) = try await makeClient()
        let (sent, send) = AsyncStream.makeStream(of: Void.self)
        await broker(client) { $0.commanded = { _, _ in send.yield() } }
        async let failed = failure { try await client.send("zoom", ["factor": 2], to: "porch/door") }
        var commands = sent.makeAsyncIterator()
        await commands.next()
        let changes = client.changes
        await client.close()
        for await _ in changes {}
        #expect(await failed?.message == "The client is closed.")
        #expect(await failure { try await client.send("zoom", to: "porch/door") }?.code == "unavailable")
        for await _ in client.changes {}
    }

    @Test func aClientCanBeClosedTwice() async throws {
        let (client, _) = try await makeClient()
        async let first: Void = client.close()
        async let second: Void = client.close()
        _ = await (first, second)
    }

    @Test func aClientThatNothingRefersToEnds() async throws {
        let (lifetime, broker) = AsyncStream.makeStream(of: Void.self)
        do {
            let (client, double) = try await makeClient()
            await double(client) { $0.lifetime = broker }
        }
        for await _ in lifetime {}
    }

    @Test func aBrokerThatCannotBeReachedIsAnError() async throws {
        let failure = await failure { _ = try await V4L2MQTTClient("127.0.0.1:1") }
        #expect(failure?.code == "unavailable")
        await #expect(throws: Failure.self) { _ = try await V4L2MQTTClient("no host") }
    }

    private func failure(_ body: () async throws -> Void) async -> V4L2MQTTClient.Failure? {
        do { try await body() } catch { return error as? V4L2MQTTClient.Failure }
        return nil
    }
}
