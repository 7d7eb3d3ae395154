internal import Picture

/// Memory that is kept from one use to the next: it grows and never shrinks.
final class Scratch {
    /// The start and the rows are aligned to this number of bytes, which vector instructions prefer.
    static let alignment = 64

    private var start: UnsafeMutableRawPointer?
    private var capacity = 0

    deinit { start?.deallocate() }

    /// Room for so many bytes, one at least; what was in it before is lost with the next call.
    func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
        if let start, length <= capacity { return start.assumingMemoryBound(to: UInt8.self) }
        start?.deallocate()
        let made = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: Self.alignment)
        (start, capacity) = (made, length)
        return made.bindMemory(to: UInt8.self, capacity: length)
    }

    /// - Returns: a plane to write to, until the next call.
    func plane(width: Int, height: Int) -> Planes.Plane {
        let stride = (width + Self.alignment - 1) / Self.alignment * Self.alignment
        return Planes.Plane(
            base: room(for: max(stride * height, 1)), stride: stride, width: width, height: height)
    }
}
