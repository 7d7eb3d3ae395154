/// Which slot of a file is written next: pure bookkeeping.
///
/// Three slots must not be overwritten. The last one that was *synced*: after a power cut it may be all
/// that is whole. The one that is *being synced*: if changes come faster than the disk is, the sync would
/// find a newer line each time, perhaps half of it, and nothing would ever be on the disk for certain. The
/// last one that was *written*: its change was answered, and a SIGKILL between two pages of a write leaves
/// a torn line. These can be three different slots, so a fourth one has to be there for the next line.
struct Slots: Sendable, Equatable {
    static let count = 4

    /// A place in the file, and the number of the line that is there: 1, 2, 3, …
    struct Slot: Sendable, Equatable {
        var index: Int
        var generation: Int
    }

    private(set) var written: Slot
    private(set) var synced: Slot
    /// The one that the sync under way was begun with.
    private(set) var syncing: Slot?

    /// - Parameter slot: the only one of which something is known; the disk has it.
    init(holding slot: Slot) { (written, synced) = (slot, slot) }

    /// Where the next line goes. The same until one was written: a write that has failed is repeated there.
    var next: Slot {
        let kept = [written.index, synced.index, syncing?.index]
        let free = (0..<Self.count).first { !kept.contains($0) }
        return Slot(index: free ?? written.index, generation: written.generation + 1)
    }

    mutating func didWrite(_ slot: Slot) { written = slot }

    /// Notes that a sync begins. Returns the generation that the disk has at its end.
    mutating func beginSync() -> Int {
        syncing = written
        return written.generation
    }

    /// Notes the end of the sync. That of a file which was replaced meanwhile says nothing.
    mutating func endSync(of generation: Int, succeeded: Bool) {
        guard let slot = syncing, slot.generation == generation else { return }
        syncing = nil
        if succeeded { synced = slot }
    }
}
