import MQTTFrontEnd
import Settings
import Testing

/// The limits of all clients together; time is passed in.
struct TotalLimitsTests {
    private static let start = ContinuousClock.now
    private static let settings = LimitSettings(
        commandRate: 10, totalCommandRate: 100, totalSampleRate: 500, totalByteRate: 100_000)

    /// How many of some messages at one instant are read, answered as refused, and dropped.
    private struct Count: Equatable, CustomStringConvertible {
        var read = 0
        var refused = 0
        var dropped = 0

        init(
            _ limits: inout TotalLimits, _ count: Int, bytes: Int = 10, isAcknowledged: Bool = false,
            purpose: TotalLimits.Purpose = .command, after: Duration = .zero
        ) {
            let payload = [UInt8](repeating: 0, count: bytes)
            for _ in 0..<count {
                switch limits.verdict(
                    on: payload, for: purpose, isAcknowledged: isAcknowledged,
                    at: TotalLimitsTests.start + after)
                {
                case .permitted: read += 1
                case .refused: refused += 1
                case .dropped: dropped += 1
                }
            }
        }

        var description: String { "\(read) read, \(refused) refused, \(dropped) dropped" }
    }

    @Test func aBurstIsAFifthOfASecondAndOneRefusalASecondIsAnswered() {
        var limits = TotalLimits(Self.settings, at: Self.start)
        #expect("\(Count(&limits, 100))" == "20 read, 1 refused, 79 dropped")
        #expect("\(Count(&limits, 100, after: .milliseconds(100)))" == "10 read, 0 refused, 90 dropped")
        #expect("\(Count(&limits, 100, after: .seconds(2)))" == "20 read, 1 refused, 79 dropped")
    }

    @Test func aFloodWithQoS0TakesNothingFromMessagesWithQoS1() {
        var limits = TotalLimits(Self.settings, at: Self.start)
        _ = Count(&limits, 100_000)
        #expect("\(Count(&limits, 100, isAcknowledged: true))" == "100 read, 0 refused, 0 dropped")
        #expect("\(Count(&limits, 150, isAcknowledged: true))" == "0 read, 100 refused, 50 dropped")
    }

    @Test func samplesHaveALimitOfTheirOwn() {
        var limits = TotalLimits(Self.settings, at: Self.start)
        _ = Count(&limits, 100)
        #expect(Count(&limits, 1_000, purpose: .sample).read == 100)
    }

    @Test func privacyHasALimitOfItsOwn() {
        var limits = TotalLimits(Self.settings, at: Self.start)
        for isAcknowledged in [false, true] {
            _ = Count(&limits, 1_000, bytes: 1_000, isAcknowledged: isAcknowledged)
            #expect(Count(&limits, 10, isAcknowledged: isAcknowledged, purpose: .privacy).read == 10)
            #expect(Count(&limits, 1_000, isAcknowledged: isAcknowledged, purpose: .privacy).read == 10)
            #expect(
                Count(&limits, 10, bytes: 2_000, isAcknowledged: isAcknowledged, purpose: .privacy).read == 0)
        }
    }

    @Test func theBytesOfAllMessagesAreLimited() {
        var limits = TotalLimits(Self.settings, at: Self.start)
        // The room is 20,000 bytes: the third message begins below it, and the debt is paid first.
        #expect(Count(&limits, 10, bytes: 8_000).read == 3)
        #expect(Count(&limits, 1, bytes: 0, purpose: .sample, after: .milliseconds(30)).read == 0)
        #expect(Count(&limits, 1, bytes: 0, purpose: .sample, after: .milliseconds(50)).read == 1)
    }

    /// Fifty controllers with a pinch of 120 samples a second each, also after the loop was busy for 100 ms.
    @Test func theDefaultsPermitFiftyPinchesAtOnce() {
        var limits = TotalLimits(LimitSettings(), at: Self.start)
        for tick in 0..<1_000 {
            let after = Duration.milliseconds(tick / 10 * 100)
            let count = Count(&limits, 60, bytes: 120, purpose: .sample, after: after)
            #expect(count.read == 60)
        }
    }

    /// A thousand cameras of an agent may have a retained `desired` each, which come when it connects.
    @Test func theDefaultsPermitTheRetainedCommandsOfAThousandCameras() {
        var limits = TotalLimits(LimitSettings(), at: Self.start)
        #expect(Count(&limits, 1_000, bytes: 4_000, isAcknowledged: true).read == 1_000)
    }
}
