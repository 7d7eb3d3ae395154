import Base
internal import CALSA
internal import Glibc
internal import Synchronization

/// An ALSA capture device.
///
/// It has a thread of its own, which also opens the device: a device that hangs blocks no other thread. Sound
/// that isn't read from the driver in time is lost, which shows in the time of the next block.
final class Microphone: Sendable {
    /// What comes from a microphone: blocks, then nothing, or an error and nothing.
    enum Event: Sendable {
        case block(SoundBlock)
        case failed(MicrophoneError)
    }

    private let isStopped: IsStopped
    private let thread: Thread

    /// Starts the capture.
    ///
    /// - Parameters:
    ///   - device: as ALSA calls it: "default", "hw:1,0", "plughw:CARD=Camera".
    ///   - rate: samples of each channel in a second.
    ///   - channels: 1 or 2.
    ///   - library: by another name, for tests.
    ///   - receive: called on the microphone's thread, several times a second; isn't to wait for anything.
    /// - Throws: ``LoopError`` when there can be no further thread.
    init(
        device: String, rate: Int, channels: Int, library: String? = nil,
        receive: @escaping @Sendable (Event) -> Void
    ) throws(LoopError) {
        let isStopped = IsStopped()
        self.isStopped = isStopped
        thread = try Thread(name: "microphone") {
            do throws(MicrophoneError) {
                try load(library ?? String(cString: calsa_library))
                let listening = try MicrophoneReader(device: device, rate: rate, channels: channels)
                while !isStopped.value {
                    guard let block = try listening.next() else { continue }
                    if !isStopped.value { receive(.block(block)) }
                }
            } catch {
                if !isStopped.value { receive(.failed(error)) }
            }
        }
        thread.detach()
    }

    deinit { stop() }

    /// Ends the capture without waiting. At most one more block is received.
    func stop() {
        isStopped.set()
    }
}

private final class IsStopped: Sendable {
    private let flag = Atomic(false)
    var value: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}

private func load(_ library: String) throws(MicrophoneError) {
    var reason = calsa_message()
    if calsa_load(library, &reason) == 0 { return }
    throw .missing("sound needs libasound: \(String(ofC: reason.text)); install the package libasound2")
}

/// The part of a microphone that is used on its own thread only.
private final class MicrophoneReader {
    /// Capacity of the driver's buffer in microseconds. A period is a quarter of it.
    private static let buffer: Int32 = 400_000
    /// Maximum delay until a stop is noticed, in milliseconds.
    private static let wait: Int32 = 50
    /// A microphone that gives no sound for this time is lost.
    private static let silenceTimeout = Duration.seconds(5)
    /// Maximum lead of the sound over the clock. A device without a clock (ALSA's "null") is slowed down to
    /// it.
    private static let maxLead = Duration.milliseconds(500)
    /// Blocks that overlap by more come from a device without a clock.
    private static let jitter = Duration.milliseconds(100)

    private let device: String
    private let rate: Int
    private let channels: Int
    private let capture: OpaquePointer
    private var samples: [Int16]
    private var lastBlockTime = ContinuousClock.now
    /// When the sound so far ends.
    private var end: ContinuousClock.Instant?

    init(device: String, rate: Int, channels: Int) throws(MicrophoneError) {
        capture = try Self.open(device, rate, channels)
        (self.device, self.rate, self.channels) = (device, rate, channels)
        samples = [Int16](repeating: 0, count: rate / 5 * channels)
    }

    deinit { calsa_close(capture) }

    /// The next block; nil when there is none yet.
    func next() throws(MicrophoneError) -> SoundBlock? {
        if let end, end - .now > Self.maxLead {
            usleep(UInt32(Self.wait) * 1000)
            lastBlockTime = .now
            return nil
        }
        var behind = 0
        let count = calsa_read(capture, Self.wait, &samples, samples.count / channels, &behind)
        let now = ContinuousClock.now
        if count < 0 { return try recover(Int32(count)) }
        if count == 0 {
            if now - lastBlockTime > Self.silenceTimeout {
                throw .lost("\(device) has given no sound for \(Self.silenceTimeout.components.seconds) s")
            }
            return nil
        }
        lastBlockTime = now
        var time = now - .seconds(Double(max(behind, count)) / Double(rate))
        if let end, time < end - Self.jitter { time = end }
        end = time + .seconds(Double(count) / Double(rate))
        return SoundBlock(samples: Array(samples.prefix(count * channels)), time: time)
    }

    private func recover(_ error: Int32) throws(MicrophoneError) -> SoundBlock? {
        if calsa_recover(capture, error) == 0 { return nil }
        var words = calsa_message()
        calsa_describe_error(error, &words)
        throw .lost("\(device): \(String(ofC: words.text))")
    }

    private static func open(
        _ device: String, _ rate: Int, _ channels: Int
    ) throws(MicrophoneError) -> OpaquePointer {
        var capture: OpaquePointer?
        var reason = calsa_message()
        var result = calsa_open(device, Int32(rate), Int32(channels), buffer, &capture, &reason)
        if result == -EINVAL && device.hasPrefix("hw:") {
            // The card itself has no such sound; ALSA can make it of what the card has.
            result = calsa_open("plug" + device, Int32(rate), Int32(channels), buffer, &capture, &reason)
        }
        if let capture, result == 0 { return capture }
        let kind = "\(rate) Hz, \(channels == 1 ? "mono" : "\(channels) channels")"
        throw .unavailable("can't open the microphone \(device) (\(kind)): \(String(ofC: reason.text))")
    }
}
