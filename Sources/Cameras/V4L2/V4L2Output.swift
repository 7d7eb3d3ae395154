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
        case buffers([MappedBuffer], unused: [UInt32])
        /// By write(2).
        case write
    }

    /// Few, so that a picture is shown soon; a driver may allocate more.
    private static let bufferCount: UInt32 = 3
    private static let mostBuffers = 32
    private static let timeout: Int32 = 1_000

    package let format: OutputFormat
    private let device: V4L2Device
    private var way: Way
    private let reportsReaders: Bool
    private var lastIsRead: Bool?

    /// Opens a device, and negotiates the form of its pictures.
    ///
    /// - Throws: ``CameraError/device(_:)`` with the reason; ``CameraError/unplugged`` if there is no device.
    package init(at path: String, _ settings: OutputSettings) throws(CameraError) {
        device = try V4L2Device(path: path, isOutput: true)
        let streams = try Self.streams(device)
        let made: V4L2Format
        (format, made) = try Self.negotiate(settings, device)
        // Not all drivers have a rate: it is for readers only.
        _ = device.setRate(settings.rate)
        way = streams ? try Self.beginStream(device, made, format) : .write
        reportsReaders = cv4l2_subscribe_readers(device.descriptor) == 0
    }

    deinit {
        guard case .buffers(let buffers, _) = way else { return }
        _ = cv4l2_stream(device.node, false)
        for buffer in buffers { buffer.unmap() }
    }

    // MARK: Opening

    /// Whether a device takes pictures in buffers; otherwise it does by write(2).
    private static func streams(_ device: V4L2Device) throws(CameraError) -> Bool {
        var found = cv4l2_identity()
        try check(cv4l2_identify(device.descriptor, &found), "VIDIOC_QUERYCAP")
        guard found.output != CV4L2_NO_BUFFERS else {
            throw .device(
                found.captures
                    ? "it takes no pictures: it is a camera, or another program writes to it"
                    : "it is no output device")
        }
        guard found.streams || found.reads_and_writes else {
            throw .device("the driver takes pictures neither in buffers nor by write")
        }
        return found.streams
    }

    private static func negotiate(
        _ settings: OutputSettings, _ device: V4L2Device
    ) throws(CameraError) -> (OutputFormat, V4L2Format) {
        let offered = device.pixelFormats()
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
                return try set(pixels, settings, device)
            } catch {
                if error == .unplugged { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    private static func set(
        _ pixels: OutputPixelFormat, _ settings: OutputSettings, _ device: V4L2Device
    ) throws(CameraError) -> (OutputFormat, V4L2Format) {
        var format = cv4l2_format()
        let wanted = V4L2Format.code(pixels.rawValue)
        (format.pixel_format, format.width, format.height) = (
            wanted, UInt32(settings.width), UInt32(settings.height)
        )
        try check(cv4l2_set_format(device.node, &format), "VIDIOC_S_FMT \(pixels.rawValue)")
        guard format.pixel_format == wanted else {
            throw .device(
                "VIDIOC_S_FMT: the driver made \(V4L2Format.letters(format.pixel_format)) of \(pixels.rawValue)"
            )
        }
        let plane = format.planes.0
        let usable = OutputFormat(
            pixels, width: Int(format.width), height: Int(format.height), stride: Int(plane.stride),
            size: Int(plane.size))
        guard let usable, format.plane_count == 1 else {
            throw .device(
                "VIDIOC_S_FMT: no picture of \(pixels.rawValue) \(format.width)×\(format.height) is in \(plane.size) bytes with rows of \(plane.stride) in \(format.plane_count) planes of memory"
            )
        }
        return (usable, V4L2Format(format))
    }

    private static func beginStream(
        _ device: V4L2Device, _ made: V4L2Format, _ format: OutputFormat
    ) throws(CameraError) -> Way {
        var count = bufferCount
        try check(cv4l2_request_buffers(device.node, &count), "VIDIOC_REQBUFS")
        var buffers: [MappedBuffer] = []
        do throws(CameraError) {
            guard count > 0, count <= mostBuffers else {
                throw .device("VIDIOC_REQBUFS: the driver allocated \(count) buffers")
            }
            for index in 0..<count {
                let buffer = try device.map(index, for: made)
                buffers.append(buffer)
                let length = buffer.planes[0].count
                guard length >= format.byteCount else {
                    throw .device("a buffer has \(length) bytes; a picture has \(format.byteCount)")
                }
            }
            // Drivers such as v4l2loopback begin the stream at once; others with the first pictures.
            try check(cv4l2_stream(device.node, true), "VIDIOC_STREAMON")
        } catch {
            for buffer in buffers { buffer.unmap() }
            throw error
        }
        return .buffers(buffers, unused: Array((0..<count).reversed()))
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
        let result = cv4l2_next_readers(device.descriptor, &count)
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
            let memory = UnsafeRawBufferPointer(buffers[Int(index)].planes[0])
            UnsafeMutableRawBufferPointer(mutating: memory).copyMemory(from: picture)
            guard isValid() else {
                way = .buffers(buffers, unused: unused + [index])
                return
            }
            way = .buffers(buffers, unused: unused)
            try Self.check(
                // Readers compare the bytes with what their format needs, not with what the driver reserves.
                cv4l2_queue(device.node, index, UInt32(format.pictureBytes)), "VIDIOC_QBUF")
        }
    }

    /// Waits for a buffer whose picture was shown.
    private func returnedBuffer(_ count: Int) throws(CameraError) -> UInt32 {
        var buffer = cv4l2_buffer()
        var result = cv4l2_dequeue(device.node, &buffer)
        if result == -EAGAIN {
            try waitUntilReady()
            result = cv4l2_dequeue(device.node, &buffer)
        }
        if result == -EAGAIN { throw Self.tookNothing }
        try Self.check(result, "VIDIOC_DQBUF")
        guard buffer.index < count else {
            throw .device("VIDIOC_DQBUF: there is no buffer \(buffer.index)")
        }
        return buffer.index
    }

    private func write(
        _ picture: UnsafeRawBufferPointer, ifStill isValid: () -> Bool
    ) throws(CameraError) {
        guard let start = picture.baseAddress?.assumingMemoryBound(to: UInt8.self), isValid() else { return }
        var result = cv4l2_write_picture(device.descriptor, start, picture.count)
        if result == -EAGAIN {
            try waitUntilReady()
            guard isValid() else { return }
            result = cv4l2_write_picture(device.descriptor, start, picture.count)
        }
        if result == -EAGAIN { throw Self.tookNothing }
        try Self.check(result, "write")
    }

    private static let tookNothing = CameraError.device("the device took no picture for a second")

    private func waitUntilReady() throws(CameraError) {
        let result = cv4l2_wait_output(device.descriptor, Self.timeout)
        if result == 0 { throw Self.tookNothing }
        try Self.check(result, "poll")
    }
}
