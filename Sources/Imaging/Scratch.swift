internal import Picture

/// Memory for one plane, kept from one to the next: it grows and never shrinks.
final class Scratch {
    private static let alignment = 64

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        memory.deallocate()
    }

    /// - Returns: a plane to write to, until the next call.
    func plane(width: Int, height: Int) -> Planes.Plane {
        let stride = (width + Self.alignment - 1) / Self.alignment * Self.alignment
        let length = max(stride * height, 1)
        if length > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: length, alignment: Self.alignment)
        }
        guard let base = memory.bindMemory(to: UInt8.self).baseAddress else {
            preconditionFailure("memory that was just allocated has an address")
        }
        return Planes.Plane(base: base, stride: stride, width: width, height: height)
    }
}
