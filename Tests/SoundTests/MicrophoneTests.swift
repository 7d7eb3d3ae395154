import Testing

@testable import Media

/// ALSA's own devices that need no hardware; those with hardware are tested in the guest.
@Suite(.timeLimit(.minutes(10))) struct MicrophoneTests {
    /// An event, and when it was received on the microphone's thread.
    private struct Arrival: Sendable {
        let event: Microphone.Event
        let time = ContinuousClock.now
    }

    /// Listens until `enough` returns true for the recorded sound.
    private func record(
        _ device: String, rate: Int = 48000, channels: Int = 1, library: String? = nil,
        until enough: @escaping @Sendable ([Arrival]) -> Bool
    ) async throws -> [Arrival] {
        let (arrivals, arrive) = AsyncStream<Arrival>.makeStream()
        let microphone = try Microphone(device: device, rate: rate, channels: channels, library: library) {
            arrive.yield(Arrival(event: $0))
        }
        var events: [Arrival] = []
        for await event in arrivals {
            events.append(event)
            if enough(events) { break }
        }
        microphone.stop()
        return events
    }

    private func failure(_ device: String, library: String? = nil) async throws -> MicrophoneError? {
        let events = try await record(device, library: library) { _ in true }
        guard case .failed(let error)? = events.first?.event else { return nil }
        return error
    }

    /// "null" is always ready and has no clock: blocks come as fast as they can be taken. In the file it
    /// would be hours.
    @Test(arguments: [(48000, 1), (16000, 2)])
    func soundComesInBlocksAtItsPace(rate: Int, channels: Int) async throws {
        let began = ContinuousClock.now
        let events = try await record("null", rate: rate, channels: channels) { $0.count == 15 }
        let ended = ContinuousClock.now
        var blocks: [SoundBlock] = []
        for case .block(let block) in events.map(\.event) { blocks.append(block) }
        try #require(blocks.count == 15)
        let ends = blocks.map { $0.time + .seconds(Double($0.samples.count / channels) / Double(rate)) }
        for (block, end) in zip(blocks, ends) {
            #expect(block.samples.count % channels == 0 && block.samples.allSatisfy { $0 == 0 })
            #expect(end - block.time > .milliseconds(10) && end - block.time <= .milliseconds(200))
        }
        for next in 1..<blocks.count {
            // One after the other, with no gap between. Only sound that was read late, on a busy machine,
            // has a gap before it: then it ends no later than it was received.
            let gap = blocks[next].time - ends[next - 1]
            #expect(gap > .milliseconds(-101))
            #expect(gap < .milliseconds(1) || ends[next] <= events[next].time)
        }
        #expect(blocks[0].time > began - .seconds(1) && blocks[14].time < ended + .seconds(1))
    }

    /// Held by a microphone's thread for as long as that lives.
    private final class Ending: Sendable {
        private let ended: @Sendable () -> Void
        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
        deinit { ended() }
    }

    @Test(arguments: [true, false]) func aMicrophoneThatIsStoppedOrLetGoEndsSoon(isStopped: Bool) async throws
    {
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        do {
            let ending = Ending { arrive.finish() }
            let microphone = try Microphone(device: "null", rate: 8000, channels: 1) { _ in
                withExtendedLifetime(ending) { _ = arrive.yield() }
            }
            for await _ in arrivals { break }
            if isStopped {
                microphone.stop()
                microphone.stop()
            }
        }
        for await _ in arrivals {}
    }

    @Test(arguments: ["hw:77,0", "plughw:77,0", "nothing of that name"])
    func aDeviceThatIsNotThereIsNamed(device: String) async throws {
        guard case .unavailable(let words)? = try await failure(device) else {
            Issue.record("no error")
            return
        }
        #expect(words.hasPrefix("can't open the microphone \(device) (48000 Hz, mono): "))
        #expect(words.contains(device.hasPrefix("nothing") ? "Unknown PCM" : "card index for 77"), "\(words)")
    }

    @Test(arguments: ["libnowhere.so.1", "libm.so.6"]) func aLibraryThatIsNotThereIsNamed(
        library: String
    ) async throws {
        guard case .missing(let words)? = try await failure("null", library: library) else {
            Issue.record("no error")
            return
        }
        #expect(words.contains(library) && words.contains("install the package libasound2"))
    }
}
