internal import Contract

/// What a camera's recordings leave behind: their numbers, the last one, and those that a crash cut off.
struct RecordingHistory {
    /// The last recording that has ended. `number` is the camera's count of its recordings; nil: it is one of
    /// an earlier run.
    private(set) var last: (number: Int?, fields: RecordingFields)?
    /// The last recording that has ended and has a file.
    private var lastFile: RecordingFields?
    /// Those of earlier runs that a crash cut off and that aren't reported yet, the oldest first.
    private(set) var interrupted: [RecordingFields]
    /// The files of the recording under way that have a frame and aren't complete.
    private var unfinished: [RecordingFields] = []
    /// The number of the last recording that was begun.
    private var counter: Int

    init(_ saved: Node.Recording.Saved) {
        last = saved.last.map { (nil, $0) }
        lastFile = saved.last
        interrupted = saved.unfinished
        counter = saved.number
    }

    /// Counts a recording as begun.
    mutating func begin(_ number: Int) { counter = number }

    /// Notes the recording under way: its file has a frame. From now on a crash leaves it in the saved state.
    mutating func fileBegan(_ fields: RecordingFields) { unfinished.append(fields) }

    /// Notes that an earlier file of the recording under way is complete.
    mutating func fileEnded(_ fields: RecordingFields) {
        unfinished.removeAll { $0.path == fields.path }
        if fields.path != nil { lastFile = fields }
    }

    /// Notes the end of the recording under way.
    mutating func finished(_ number: Int, _ fields: RecordingFields) {
        unfinished = []
        add(number, fields)
    }

    /// Ends the oldest interrupted recording.
    ///
    /// - Parameter fields: as it is reported; nil: its file is gone, so it isn't.
    mutating func reportInterrupted(_ fields: RecordingFields?) {
        if !interrupted.isEmpty { interrupted.removeFirst() }
        // A recording of this run is newer.
        if let fields, last?.number == nil { add(nil, fields) }
    }

    /// Forgets the recording whose file was deleted, if it is the last one. Returns whether it was.
    mutating func fileDeleted(_ name: String) -> Bool {
        let isMeant = { (fields: RecordingFields?) in fields?.path?.hasSuffix("/" + name) == true }
        let isLast = isMeant(last?.fields)
        if isLast { last = nil }
        guard isMeant(lastFile) else { return isLast }
        lastFile = nil
        return true
    }

    private mutating func add(_ number: Int?, _ fields: RecordingFields) {
        last = (number, fields)
        if fields.path != nil { lastFile = fields }
    }

    var saved: Node.Recording.Saved {
        var saved = Node.Recording.Saved()
        (saved.number, saved.last, saved.unfinished) = (counter, lastFile, interrupted + unfinished)
        return saved
    }
}
