internal import Contract

/// Texts and files that wait until the network takes them. Of a state only the newest waits; answers, events
/// and files all wait, in their order.
struct PageOutbox {
    /// A state of which only the newest counts.
    enum Key: Hashable {
        case state(CameraAddress, node: String)
        case bus, time
    }

    /// What waits for the network.
    enum Content {
        case text([UInt8])
        /// A photo that answers a command, with its header.
        case file(header: [UInt8], [UInt8])

        fileprivate var count: Int {
            switch self {
            case .text(let text): text.count
            case .file(let header, let file): header.count + file.count
            }
        }
    }

    /// The limits for waiting bytes: a page that reads so slowly is disconnected. One file may be larger.
    private static let maxTextBytes = 1 << 20
    private static let maxFileBytes = 16 << 20
    /// Capacity that is kept while the outbox is empty.
    private static let keptCapacity = 64

    private var entries: [(key: Key?, content: Content?)] = []
    /// The first entry that waits. Those before it are removed when they are half of all.
    private var first = 0
    /// The number of entries that were ever removed from the array.
    private var removed = 0
    /// The entry of each state that waits, by its number since the beginning.
    private var places: [Key: Int] = [:]
    private var textBytes = 0
    private var fileBytes = 0
    private var files = 0

    var isEmpty: Bool { first == entries.count }
    var isFull: Bool { textBytes > Self.maxTextBytes || (files > 1 && fileBytes > Self.maxFileBytes) }
    /// The number of entries in memory.
    var storedCount: Int { entries.count }

    mutating func add(_ text: [UInt8], replacing key: Key? = nil) {
        textBytes += text.count
        if let key {
            if let place = places[key] {
                textBytes -= entries[place - removed].content?.count ?? 0
                entries[place - removed].content = .text(text)
                return
            }
            places[key] = removed + entries.count
        }
        entries.append((key, .text(text)))
    }

    mutating func add(header: [UInt8], file: [UInt8]) {
        let content = Content.file(header: header, file)
        entries.append((nil, content))
        (files, fileBytes) = (files + 1, fileBytes + content.count)
    }

    mutating func takeFirst() -> Content? {
        guard !isEmpty, let content = entries[first].content else { return nil }
        if let key = entries[first].key { places[key] = nil }
        entries[first].content = nil
        first += 1
        switch content {
        case .text: textBytes -= content.count
        case .file: (files, fileBytes) = (files - 1, fileBytes - content.count)
        }
        if first * 2 >= entries.count {
            entries.removeFirst(first)
            (removed, first) = (removed + first, 0)
            if entries.isEmpty, entries.capacity > Self.keptCapacity { entries = [] }
        }
        return content
    }
}
