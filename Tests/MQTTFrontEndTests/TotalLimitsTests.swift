import Testing

@testable import FrontEnds
@testable import Settings

/// The limits of all clients together; time is passed in.
struct TotalLimitsTests {
    private static let start = ContinuousClock.now
    private static let settings = LimitSettings(
        commandRate: 10, totalCommandRate: 100)

    /// How many of some messages at one instant are read, answered as refused, and dropped.
    private struct Count: Equatable, CustomStringConvertible {
        var read = 0
        var refused = 0
        var dropped = 0

        init(
            _ limits: inout Limits, _ count: Int, bytes: Int = 10, isAcknowledged: Bool = false,
            purpose: Limits.Purpose = .command, of account: String? = nil, after: Duration = .zero
        ) {
            for _ in 0..<count {
                switch limits.reads(
                    bytes: bytes, of: account, for: purpose, isAcknowledged: isAcknowledged,
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
        var limits = Limits(Self.settings, at: Self.start)
        #expect("\(Count(&limits, 100))" == "20 read, 1 refused, 79 dropped")
        #expect("\(Count(&limits, 100, after: .milliseconds(100)))" == "10 read, 0 refused, 90 dropped")
        #expect("\(Count(&limits, 100, after: .seconds(2)))" == "20 read, 1 refused, 79 dropped")
    }

    @Test func aFloodWithQoS0TakesNothingFromMessagesWithQoS1() {
        var limits = Limits(Self.settings, at: Self.start)
        _ = Count(&limits, 100_000)
        #expect("\(Count(&limits, 100, isAcknowledged: true))" == "100 read, 0 refused, 0 dropped")
        #expect("\(Count(&limits, 150, isAcknowledged: true))" == "0 read, 150 refused, 0 dropped")
    }

    @Test func aSampleCostsAFifth() {
        var limits = Limits(Self.settings, at: Self.start)
        #expect(Count(&limits, 1_000, purpose: .sample).read == 96)
        #expect(Count(&limits, 10).read == 0, "they share the limit of commands")
    }

    @Test func aProvedAccountHasItsOwnBucket() {
        var limits = Limits(Self.settings, at: Self.start)
        _ = Count(&limits, 1_000)
        _ = Count(&limits, 1_000, isAcknowledged: true)
        _ = Count(&limits, 1_000, of: "noisy")
        #expect(
            "\(Count(&limits, 150, isAcknowledged: true, of: "calm"))" == "100 read, 50 refused, 0 dropped")
        #expect("\(Count(&limits, 50, of: "noisy"))" == "0 read, 0 refused, 50 dropped")
    }

    /// With more accounts than places, those that go on sending keep their buckets.
    @Test func theAccountThatWasSilentForLongestMakesRoom() {
        var limits = Limits(Self.settings, at: Self.start)
        #expect(Count(&limits, 200, of: "noisy").read == 100)
        for number in 0..<3_000 {
            let after = Duration.microseconds(number)
            _ = Count(&limits, 1, of: "a\(number)", after: after)
            #expect(Count(&limits, 1, of: "noisy", after: after).read == 0)
        }
    }

    @Test func whoWasUnusedForLongestMakesRoom() {
        var shares = Shares<Int, Int>()
        let count = Shares<Int, Int>.maxCount
        /// Returns whether it is a new one.
        func use(_ key: Int) -> Bool {
            shares.use(key, new: 0) {
                $0 += 1; return $0 == 1
            }
        }
        #expect((0..<count).allSatisfy { use($0) })
        #expect(!use(1) && !use(0), "now 2 is the oldest")
        #expect(use(count) && use(count + 1))
        #expect([0, 1, 4, count, count + 1].allSatisfy { !use($0) })
        #expect(use(2) && use(3))
        #expect([0, 1, count, count + 1, 2, 3].allSatisfy { !use($0) })
    }

    @Test func privacyHasALimitOfItsOwn() {
        var limits = Limits(Self.settings, at: Self.start)
        for isAcknowledged in [false, true] {
            _ = Count(&limits, 1_000, bytes: 1_000, isAcknowledged: isAcknowledged)
            #expect(Count(&limits, 10, isAcknowledged: isAcknowledged, purpose: .privacy).read == 10)
            #expect(Count(&limits, 1_000, isAcknowledged: isAcknowledged, purpose: .privacy).read == 10)
            #expect(
                Count(&limits, 10, bytes: 2_000, isAcknowledged: isAcknowledged, purpose: .privacy).read == 0)
        }
    }

    @Test func aKiBOfAPayloadCostsOne() {
        var limits = Limits(Self.settings, at: Self.start)
        // The room is 20: the third message begins below it, and the debt is paid first.
        #expect(Count(&limits, 10, bytes: 8_192).read == 3)
        #expect(Count(&limits, 1, bytes: 0, after: .milliseconds(45)).read == 0)
        #expect(Count(&limits, 1, bytes: 0, after: .milliseconds(55)).read == 1)
    }

    /// Fifty controllers with a pinch of 120 samples a second each, also after the loop was busy for 100 ms.
    @Test func theDefaultsPermitFiftyPinchesAtOnce() {
        var limits = Limits(LimitSettings(), at: Self.start)
        for tick in 0..<1_000 {
            let after = Duration.milliseconds(tick / 10 * 100)
            let count = Count(&limits, 60, bytes: 120, purpose: .sample, after: after)
            #expect(count.read == 60)
        }
    }

    /// A thousand cameras of an agent may have a retained `desired` each, which come when it connects.
    @Test func theDefaultsPermitTheRetainedCommandsOfAThousandCameras() {
        var limits = Limits(LimitSettings(), at: Self.start)
        #expect(Count(&limits, 1_000, bytes: 4_000, isAcknowledged: true).read == 1_000)
    }
}
