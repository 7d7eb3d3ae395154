import Core
import Testing

/// Where revisions begin when the state is lost.
struct RevisionFloorTests {
    private let day = 86_400
    private let built = 1_795_000_000

    private func floor(_ numbers: Int? = nil, now: Int = 0) -> Int {
        CameraNumbers.floor(numbers: numbers, now: Double(now), built: built)
    }

    @Test func aClockThatIsSetCounts() {
        #expect(floor(now: built + day) == (built + day) * 1_000_000 + CameraNumbers.revisionBlock)
    }

    @Test func aClockThatWasNeverSetCountsAsTheDayOfTheBuild() {
        #expect(floor() == built * 1_000_000 + CameraNumbers.revisionBlock)
    }

    /// What the broker has of a run is a block above its first revision.
    @Test func theSecondLossContinuesAboveTheFirst() {
        var first = floor()
        for _ in 0..<3 {
            let numbers = first + CameraNumbers.revisionBlock
            let next = floor(numbers)
            #expect(next > numbers)
            first = next
        }
    }

    @Test(arguments: [1 << 53, .max, -1, 0]) func aNumberThatIsNotOursChangesNothing(numbers: Int) {
        #expect(floor(numbers) == floor())
    }

    @Test func theProgramKnowsWhenItWasBuilt() {
        #expect(CameraNumbers.floor(now: 0) > 1_790_000_000 * 1_000_000)
    }
}
