import Testing

/// Whatever is requested and whatever happens to the device, the media threads and the agent: the invariants
/// of the core hold.
struct CorePropertyTests {
    /// Seeds that are run together.
    private static let batches = stride(
        from: CoreRun.seeds.lowerBound, through: CoreRun.seeds.upperBound, by: 50
    )
    .map { $0...min($0 + 49, CoreRun.seeds.upperBound) }

    @Test(arguments: batches) func theInvariantsHold(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            guard let failure = CoreRun.failure(seed: seed) else { continue }
            Issue.record("\(failure)")
            return
        }
    }

    @Test(arguments: PlantedFault.allCases) func aPlantedFaultIsDetected(plant: PlantedFault) throws {
        let failure = (1...30 as ClosedRange<UInt64>).lazy
            .compactMap { CoreRun.failure(seed: $0, plant: plant) }.first
        let found = try #require(failure, "\(plant) isn't detected in 30 runs")
        #expect(plant.invariants.contains(found.breach.invariant), "\(found)")
        #expect(found.events.count <= 10, "\(found)")
    }
}
