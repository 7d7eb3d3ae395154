/// The times of a movie's frames, in units of the track since the first frame.
struct FrameClock {
    /// Units per second.
    let timescale: Int
    /// The time that was given for the first frame.
    private(set) var start: Duration?
    private var lastGiven: Int64 = -1
    private var lastWritten: Int64 = -1
    /// Frames with an accepted time.
    private(set) var given = 0

    init(timescale: Int) { self.timescale = timescale }

    /// The time of the next frame in units; nil if it is not later than that of the frame before.
    mutating func next(_ time: Duration) -> Int64? {
        let start = start ?? time
        self.start = start
        let ticks = (time - start).units(of: timescale)
        guard ticks > lastGiven else { return nil }
        lastGiven = ticks
        given += 1
        return ticks
    }

    /// The time of the next frame in units, of which none may be left out: one unit after the frame
    /// before, if it is not later than that.
    mutating func nextWithoutGap(_ time: Duration) -> Int64 {
        if let ticks = next(time) { return ticks }
        lastGiven += 1
        given += 1
        return lastGiven
    }

    /// Notes that the frame of this time was written.
    mutating func markWritten(_ ticks: Int64) { lastWritten = ticks }

    /// The time from the first frame to the last one that was written.
    var written: Duration { .units(max(0, lastWritten), of: timescale) }
}
