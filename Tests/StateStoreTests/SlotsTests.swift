import TestSupport
import Testing

@testable import State

/// Which slot is written next, for any order of writes and syncs.
@Suite struct SlotsTests {
    @Test func theFirstLineGoesBesideTheOneThatIsThere() {
        let slots = Slots(holding: .init(index: 2, generation: 7))
        #expect(slots.next == .init(index: 0, generation: 8))
    }

    /// Lines come faster than the disk is: what is being synced stays as it was when the sync began.
    @Test func noneOfTheThreeIsOverwritten() {
        var slots = Slots(holding: .init(index: 0, generation: 1))
        slots.didWrite(slots.next)
        let syncing = slots.written
        #expect(slots.beginSync() == 2)
        for _ in 0..<10 {
            let next = slots.next
            #expect(![slots.synced.index, syncing.index, slots.written.index].contains(next.index))
            slots.didWrite(next)
        }
        slots.endSync(of: 2, succeeded: true)
        #expect(slots.synced == syncing && slots.syncing == nil)
    }

    @Test func aWriteThatHasFailedIsRepeatedInItsPlace() {
        let slots = Slots(holding: .init(index: 0, generation: 1))
        #expect(slots.next == slots.next)
    }

    @Test func aSyncThatHasFailedIsNone() {
        var slots = Slots(holding: .init(index: 0, generation: 1))
        slots.didWrite(slots.next)
        slots.endSync(of: slots.beginSync(), succeeded: false)
        #expect(slots.synced.generation == 1 && slots.syncing == nil)
    }

    @Test func theSyncOfAFileThatWasReplacedSaysNothing() {
        var slots = Slots(holding: .init(index: 1, generation: 9))
        slots.endSync(of: 4, succeeded: true)
        #expect(slots.synced.generation == 9)
    }

    /// A disk with a cache: a write reaches it as a whole, as a torn line, or not at all, in any order; a
    /// sync that has ended has what was written when it began.
    @Test func noCutAndNoKillTakesWhatWasPromised() {
        var chance = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            var slots = Slots(holding: .init(index: 0, generation: 1))
            // What the system has, and what each slot of the disk may have; 0 is a torn line.
            var cached = [1, 0, 0, 0]
            var onDisk: [Set<Int>] = cached.map { [$0] }
            var begun: [Set<Int>]?
            for _ in 0..<40 {
                switch Int.random(in: 0..<4, using: &chance) {
                case 0, 1:
                    let next = slots.next
                    // Killed in the midst of it: the last change that was answered is whole.
                    cached[next.index] = 0
                    #expect(cached.max() == slots.written.generation)
                    cached[next.index] = next.generation
                    onDisk[next.index].formUnion([0, next.generation])
                    begun?[next.index].formUnion([0, next.generation])
                    slots.didWrite(next)
                case 2 where slots.syncing == nil:
                    _ = slots.beginSync()
                    begun = cached.map { [$0] }
                default:
                    guard let slot = slots.syncing, let synced = begun else { continue }
                    slots.endSync(of: slot.generation, succeeded: true)
                    (onDisk, begun) = (synced, nil)
                }
                // A cut: of each slot the worst that it may have.
                let left = onDisk.compactMap { $0.min() }.max() ?? 0
                #expect(left >= slots.synced.generation)
            }
        }
    }
}
