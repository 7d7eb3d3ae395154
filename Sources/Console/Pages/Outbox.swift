/// Texts that wait until the network takes them. Of a state only the newest waits; answers and events all
/// wait, in their order.
struct Outbox {
    /// A state of which only the newest counts.
    enum Key: Hashable {
        case state(CameraName, node: String)
        case bus, time
    }

    /// The limit for waiting bytes: a page that reads so slowly is disconnected.
    private static let maxBytes = 1 << 20

    private var entries: [(key: Key?, text: [UInt8])] = []
    private var first = 0
    private var places: [Key: Int] = [:]
    private var bytes = 0

    var isEmpty: Bool { first == entries.count }
    var isFull: Bool { bytes > Self.maxBytes }

    mutating func add(_ text: [UInt8], replacing key: Key? = nil) {
        if let key {
            if let place = places[key] {
                bytes += text.count - entries[place].text.count
                entries[place].text = text
                return
            }
            places[key] = entries.count
        }
        bytes += text.count
        entries.append((key, text))
    }

    mutating func takeFirst() -> [UInt8]? {
        guard !isEmpty else { return nil }
        let entry = entries[first]
        entries[first].text = []
        first += 1
        bytes -= entry.text.count
        if let key = entry.key { places[key] = nil }
        if isEmpty {
            entries.removeAll(keepingCapacity: false)
            first = 0
        }
        return entry.text
    }
}
