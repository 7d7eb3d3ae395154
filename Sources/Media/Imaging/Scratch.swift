internal import Cameras

/// Memory that is kept from one use to the next. It grows when a use needs more, and is given back when none
/// of the last uses needed a quarter of it: one large picture among small ones does not keep its memory for
/// good.
final class Scratch {
    /// The start and the rows are aligned to this number of bytes, which vector instructions prefer.
    static let alignment = 64

    /// Memory up to this many bytes is always kept: about a picture of 1920 × 1080.
    static let alwaysKept = 4 << 20

    /// So many uses are looked back at.
    static let usesBeforeShrinking = 64

    private var start: UnsafeMutableRawPointer?
    /// In bytes.
    private(set) var capacity = 0
    /// Since the last check whether to shrink.
    private var uses = 0
    private var largest = 0

    init() {}

    deinit { start?.deallocate() }

    /// Room for so many bytes, one at least; what was in it before is lost with the next call.
    func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
        giveBackWhatIsNotNeeded(length)
        if let start, length <= capacity { return start.assumingMemoryBound(to: UInt8.self) }
        start?.deallocate()
        let made = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: Self.alignment)
        (start, capacity) = (made, length)
        return made.bindMemory(to: UInt8.self, capacity: length)
    }

    private func giveBackWhatIsNotNeeded(_ length: Int) {
        (uses, largest) = (uses + 1, max(largest, length))
        guard uses >= Self.usesBeforeShrinking else { return }
        if capacity > Self.alwaysKept && largest < capacity / 4 {
            start?.deallocate()
            (start, capacity) = (nil, 0)
        }
        (uses, largest) = (0, 0)
    }

    /// - Returns: a plane to write to, until the next call.
    func plane(width: Int, height: Int) -> Planes.Plane {
        let stride = (width + Self.alignment - 1) / Self.alignment * Self.alignment
        return Planes.Plane(
            base: room(for: max(stride * height, 1)), stride: stride, width: width, height: height)
    }
}
