internal import CV4L2

/// A buffer of a stream: memory of the driver that this program reads or writes, plane by plane.
struct MappedBuffer {
    let planes: [UnsafeBufferPointer<UInt8>]

    func unmap() {
        for plane in planes { cv4l2_unmap(plane.baseAddress, plane.count) }
    }
}

/// What the driver has filled of a plane of memory.
struct FilledPlane: Sendable, Equatable {
    /// Bytes from the plane's start.
    var used: Int
    /// How many of these stand before the samples (V4L2's `data_offset`).
    var offset = 0
}

/// What a driver says about a buffer is checked here, before memory is mapped or read.
extension V4L2Format {
    /// Checks that a buffer has memory for each plane of the format.
    ///
    /// - Parameter lengths: bytes of each plane of memory.
    /// - Throws: ``CameraError/device(_:)``.
    func checkBuffer(_ lengths: [Int]) throws(CameraError) {
        guard lengths.count == memory.count else {
            throw .device(
                "VIDIOC_QUERYBUF: a buffer has \(counted(lengths.count)); its format \(words) has \(memory.count)"
            )
        }
        if let empty = lengths.firstIndex(of: 0) {
            throw .device("VIDIOC_QUERYBUF: plane \(empty + 1) of a buffer for \(words) has no bytes")
        }
    }

    /// The bytes of a frame in a buffer, for each plane of memory.
    ///
    /// - Parameters:
    ///   - filled: as the driver reports it.
    ///   - planes: the memory of the buffer.
    /// - Throws: ``CameraError/device(_:)`` if the driver reports planes or bytes that the buffer does not
    ///   have.
    func frame(
        _ filled: [FilledPlane], in planes: [UnsafeBufferPointer<UInt8>]
    ) throws(CameraError) -> [UnsafeBufferPointer<UInt8>] {
        guard filled.count == planes.count else {
            throw .device(
                "VIDIOC_DQBUF: the frame has \(counted(filled.count)); its buffer has \(planes.count)")
        }
        var frame: [UnsafeBufferPointer<UInt8>] = []
        for (place, (filled, plane)) in zip(filled, planes).enumerated() {
            guard filled.used <= plane.count else {
                throw .device(
                    "VIDIOC_DQBUF: the driver filled \(filled.used) bytes of plane \(place + 1), which has \(plane.count)"
                )
            }
            guard filled.offset <= filled.used else {
                throw .device(
                    "VIDIOC_DQBUF: the samples of plane \(place + 1) begin at byte \(filled.offset) of \(filled.used)"
                )
            }
            frame.append(UnsafeBufferPointer(rebasing: plane[filled.offset..<filled.used]))
        }
        return frame
    }
}

extension V4L2Device {
    /// Maps a buffer that the driver has made.
    func map(_ index: UInt32, for format: V4L2Format) throws(CameraError) -> MappedBuffer {
        var found = cv4l2_memory()
        try check(cv4l2_query_buffer(node, index, &found), "VIDIOC_QUERYBUF")
        let memory = planes(found.planes, found.plane_count) { (plane: cv4l2_plane_memory) in plane }
        try format.checkBuffer(memory.map { Int($0.length) })
        var mapped: [UnsafeBufferPointer<UInt8>] = []
        for plane in memory {
            var start: UnsafePointer<UInt8>?
            let result = cv4l2_map(descriptor, plane, &start)
            if result < 0 {
                MappedBuffer(planes: mapped).unmap()
                throw Self.error("mmap of a buffer", result)
            }
            mapped.append(UnsafeBufferPointer(start: start, count: Int(plane.length)))
        }
        return MappedBuffer(planes: mapped)
    }
}

extension cv4l2_buffer {
    /// What the driver has filled, for each plane of memory.
    var filled: [FilledPlane] {
        Cameras.planes(planes, plane_count) { (plane: cv4l2_plane_use) in
            FilledPlane(used: Int(plane.used), offset: Int(plane.offset))
        }
    }

    /// Whether the driver has filled no byte of any plane.
    var isEmpty: Bool {
        plane_count > 0
            && withUnsafeBytes(of: planes) { bytes in
                bytes.bindMemory(to: cv4l2_plane_use.self).prefix(Int(plane_count)).allSatisfy {
                    $0.used == 0
                }
            }
    }
}
