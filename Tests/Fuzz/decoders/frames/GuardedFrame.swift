import Glibc

/// Memory that ends where accessible memory does: libv4lconvert is not built with AddressSanitizer, so what
/// it accesses too far is seen here.
struct GuardedFrame {
    static let capacity = 1 << 20

    private let end: UnsafeMutablePointer<UInt8>
    private let start: UnsafeMutableRawPointer

    init() {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard
            let start = mmap(
                nil, Self.capacity + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED, mprotect(start + Self.capacity, page, PROT_NONE) == 0
        else { fatalError("no memory at the start") }
        self.start = start
        end = (start + Self.capacity).assumingMemoryBound(to: UInt8.self)
    }

    /// The last bytes, filled with content over and over, and read-only: a frame is the driver's memory.
    func filled(_ count: Int, with content: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        protect(PROT_READ | PROT_WRITE)
        let bytes = last(count)
        for place in 0..<count { bytes[place] = content.isEmpty ? 0x5A : content[place % content.count] }
        protect(PROT_READ)
        return UnsafeBufferPointer(start: bytes, count: count)
    }

    /// The last bytes, to write to.
    func last(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        expect(count <= Self.capacity, "\(count) bytes of \(Self.capacity)")
        return end - count
    }

    private func protect(_ access: Int32) {
        expect(mprotect(start, Self.capacity, access) == 0, "memory cannot be protected")
    }
}
