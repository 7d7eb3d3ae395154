internal import CLinux
internal import CV4L2
internal import Glibc
package import Settings

/// A V4L2 device that takes pictures and shows them to other programs, such as a device of v4l2loopback.
package final class V4L2Output: OutputDevice {
    /// How pictures get to the driver.
    private enum Way {
        /// In buffers that the driver shares with this program. `unused`: those that the driver does not
        /// have.
        case buffers([UnsafeMutableRawBufferPointer], unused: [UInt32])
        /// By write(2).
        case write
    }

    /// Few, so that a picture is shown soon; a driver may allocate more.
    private static let bufferCount: UInt32 = 3
    private static let mostBuffers = 32
    private static let timeout: Int32 = 1_000

    package let format: OutputFormat
    private let node: cv4l2_output
    private var way: Way
    private let reportsReaders: Bool
    private var lastIsRead: Bool?

    /// Opens a device, and negotiates the form of its pictures.
    ///
    /// - Throws: ``CameraError/device(_:)`` with the reason; ``CameraError/unplugged`` if there is no device.
    package init(at path: String, _ settings: OutputSettings) throws(CameraError) {
        let descriptor = V4L2Device.descriptor(at: path)
        if descriptor < 0 { throw V4L2Device.error("open \(path)", descriptor) }
        do throws(CameraError) {
            let abilities = try Self.abilities(of: descriptor)
            let node = cv4l2_output(fd: descriptor, multi_planar: abilities.multi_planar)
            let format = try Self.negotiate(settings, node)
            // Not all drivers have a rate: it is for readers only.
            _ = cv4l2_set_output_rate(node, settings.rate)
            let way = abilities.streams ? try Self.beginStream(node, format) : .write
            (self.node, self.format, self.way) = (node, format, way)
        } catch {
            close(descriptor)
            throw error
        }
        reportsReaders = cv4l2_subscribe_readers(descriptor) == 0
    }

    deinit {
        if case .buffers(let buffers, _) = way {
            _ = cv4l2_stream_output(node, false)
            Self.unmap(buffers)
        }
        close(node.fd)
    }

    // MARK: Opening

    private static func abilities(of descriptor: Int32) throws(CameraError) -> cv4l2_output_abilities {
        var found = cv4l2_output_abilities()
        try check(cv4l2_output_abilities(descriptor, &found), "VIDIOC_QUERYCAP")
        guard found.takes_pictures else {
            throw .device(
                found.captures
                    ? "it takes no pictures: it is a camera, or another program writes to it"
                    : "it is no output device")
        }
        guard found.streams || found.writes else {
            throw .device("the driver takes pictures neither in buffers nor by write")
        }
        return found
    }

    private static func negotiate(
        _ settings: OutputSettings, _ node: cv4l2_output
    ) throws(CameraError) -> OutputFormat {
        let offered = offeredFormats(node)
        let usable = OutputPixelFormat.allCases.filter {
            offered.isEmpty || offered.contains(V4L2Format.code($0.rawValue))
        }
        let choices = usable.filter { settings.pixelFormat == nil || $0 == settings.pixelFormat }
        guard !choices.isEmpty else {
            let names = offered.map(V4L2Format.letters).joined(separator: ", ")
            let writable = OutputPixelFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .device(
                settings.pixelFormat.map { "\($0.rawValue) is not among the formats of the device: \(names)" }
                    ?? "the device takes \(names); the agent writes \(writable)")
        }
        var refusal = CameraError.device("")
        for pixels in choices {
            do throws(CameraError) {
                return try set(pixels, settings, node)
            } catch {
                if error == .unplugged { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    /// The pixel formats that the driver lists; empty: it lists none.
    private static func offeredFormats(_ node: cv4l2_output) -> [UInt32] {
        var list: [UInt32] = []
        var found: UInt32 = 0
        for index in 0..<256 as Range<UInt32> {
            guard cv4l2_output_pixel_format(node, index, &found) == 0 else { break }
            list.append(found)
        }
        return list
    }

    private static func set(
        _ pixels: OutputPixelFormat, _ settings: OutputSettings, _ node: cv4l2_output
    ) throws(CameraError) -> OutputFormat {
        var format = cv4l2_output_format()
        let wanted = V4L2Format.code(pixels.rawValue)
        (format.pixel_format, format.width, format.height) = (
            wanted, UInt32(settings.width), UInt32(settings.height)
        )
        try check(cv4l2_set_output_format(node, &format), "VIDIOC_S_FMT \(pixels.rawValue)")
        guard format.pixel_format == wanted else {
            throw .device(
                "VIDIOC_S_FMT: the driver made \(V4L2Format.letters(format.pixel_format)) of \(pixels.rawValue)"
            )
        }
        let usable = OutputFormat(
            pixels, width: Int(format.width), height: Int(format.height), stride: Int(format.stride),
            size: Int(format.size))
        guard let usable, format.plane_count == 1 else {
            throw .device(
                "VIDIOC_S_FMT: no picture of \(pixels.rawValue) \(format.width)×\(format.height) is in \(format.size) bytes with rows of \(format.stride) in \(format.plane_count) planes of memory"
            )
        }
        return usable
    }

    private static func beginStream(
        _ node: cv4l2_output, _ format: OutputFormat
    ) throws(CameraError) -> Way {
        var count = bufferCount
        try check(cv4l2_request_output_buffers(node, &count), "VIDIOC_REQBUFS")
        var buffers: [UnsafeMutableRawBufferPointer] = []
        do throws(CameraError) {
            guard count > 0, count <= mostBuffers else {
                throw .device("VIDIOC_REQBUFS: the driver allocated \(count) buffers")
            }
            for index in 0..<count {
                var start: UnsafeMutablePointer<UInt8>?
                var length = 0
                try check(cv4l2_map_output(node, index, &start, &length), "the memory of a buffer")
                let buffer = UnsafeMutableRawBufferPointer(start: start, count: length)
                buffers.append(buffer)
                guard length >= format.byteCount else {
                    throw .device("a buffer has \(length) bytes; a picture has \(format.byteCount)")
                }
            }
            // Drivers such as v4l2loopback begin the stream at once; others with the first pictures.
            try check(cv4l2_stream_output(node, true), "VIDIOC_STREAMON")
        } catch {
            unmap(buffers)
            throw error
        }
        return .buffers(buffers, unused: Array((0..<count).reversed()))
    }

    private static func unmap(_ buffers: [UnsafeMutableRawBufferPointer]) {
        for buffer in buffers {
            cv4l2_unmap_output(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
    }

    private static func check(_ result: Int32, _ doing: String) throws(CameraError) {
        guard result < 0 else { return }
        if result == -EBUSY { throw .device("\(doing): another program writes to the device") }
        throw V4L2Device.error(doing, result)
    }

    // MARK: Use

    package func isRead() throws(CameraError) -> Bool? {
        guard reportsReaders else { return nil }
        var count: UInt32 = 0
        let result = cv4l2_next_readers(node.fd, &count)
        try Self.check(result, "VIDIOC_DQEVENT")
        if result > 0 { lastIsRead = count > 0 }
        return lastIsRead
    }

    package func show(
        _ picture: UnsafeRawBufferPointer, ifStill isValid: () -> Bool
    ) throws(CameraError) {
        switch way {
        case .write: try write(picture, ifStill: isValid)
        case .buffers(let buffers, var unused):
            let index: UInt32
            if let free = unused.popLast() { index = free } else { index = try returnedBuffer(buffers.count) }
            buffers[Int(index)].copyMemory(from: picture)
            guard isValid() else {
                way = .buffers(buffers, unused: unused + [index])
                return
            }
            way = .buffers(buffers, unused: unused)
            try Self.check(
                // Readers compare the bytes with what their format needs, not with what the driver reserves.
                cv4l2_queue_output(node, index, UInt32(format.pictureBytes)), "VIDIOC_QBUF")
        }
    }

    /// Waits for a buffer whose picture was shown.
    private func returnedBuffer(_ count: Int) throws(CameraError) -> UInt32 {
        var index: UInt32 = 0
        var result = cv4l2_dequeue_output(node, &index)
        if result == -EAGAIN {
            try waitUntilReady()
            result = cv4l2_dequeue_output(node, &index)
        }
        if result == -EAGAIN { throw Self.tookNothing }
        try Self.check(result, "VIDIOC_DQBUF")
        guard index < count else { throw .device("VIDIOC_DQBUF: there is no buffer \(index)") }
        return index
    }

    private func write(
        _ picture: UnsafeRawBufferPointer, ifStill isValid: () -> Bool
    ) throws(CameraError) {
        guard let start = picture.baseAddress?.assumingMemoryBound(to: UInt8.self), isValid() else { return }
        var result = cv4l2_write_picture(node.fd, start, picture.count)
        if result == -EAGAIN {
            try waitUntilReady()
            guard isValid() else { return }
            result = cv4l2_write_picture(node.fd, start, picture.count)
        }
        if result == -EAGAIN { throw Self.tookNothing }
        try Self.check(result, "write")
    }

    private static let tookNothing = CameraError.device("the device took no picture for a second")

    private func waitUntilReady() throws(CameraError) {
        let result = cv4l2_wait_output(node.fd, Self.timeout)
        if result == 0 { throw Self.tookNothing }
        try Self.check(result, "poll")
    }
}
