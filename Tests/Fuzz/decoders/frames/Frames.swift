import CV4L2

@testable import Cameras

/// As many as any format has planes of memory.
nonisolated(unsafe) private let sources = (0..<3).map { _ in GuardedFrame() }
nonisolated(unsafe) private let target = GuardedFrame()

/// A format and a frame as a hostile driver delivers them (`FrameInput`). Whatever they are, what comes is an
/// error, or a picture of the format's size; a frame that is shorter than its format says is never a picture,
/// and one that is not always is.
func checkFrames(_ bytes: [UInt8]) {
    let input = FrameInput(bytes)
    let format = input.format
    if !format.isJPEG, let needed = FrameInput.needed(format),
        needed.contains(where: { $0 > GuardedFrame.capacity })
    {
        // Too large to be there: also one byte less than needed would be.
        expectRefusal(format, zip(sources, input.counts).map { $0.filled(min($1, 4096), with: []) })
        return
    }
    let frame = zip(sources, input.counts).map { $0.filled($1, with: input.content) }
    do throws(CameraError) {
        switch try format.picture(of: frame) {
        case .jpeg(let bytes): checkJPEG(bytes, frame[0], format)
        case .planar(let picture): check(picture, frame, format)
        case .h264: expect(false, "H.264 isn't made of one frame alone")
        case .oriented: expect(false, "the frame of a driver is turned")
        }
    } catch {
        check(error)
        if format.isJPEG { return }
        let needed = FrameInput.needed(format)
        expect(
            needed.map { !isEnough(frame, $0) } ?? true, "\(needed ?? []) bytes are there, and yet: \(error)")
    }
}

private func isEnough(_ frame: [UnsafeBufferPointer<UInt8>], _ needed: [Int]) -> Bool {
    zip(frame, needed).allSatisfy { $0.count >= $1 }
}

private func expectRefusal(_ format: V4L2Format, _ frame: [UnsafeBufferPointer<UInt8>]) {
    do throws(CameraError) {
        _ = try format.picture(of: frame)
        fatalError("\(frame.map(\.count)) bytes are a picture of \(format.words)")
    } catch {
        check(error)
    }
}

private func check(_ error: CameraError) {
    guard case .device(let words) = error else { fatalError("another error: \(error)") }
    expect((10...512).contains(words.utf8.count), "an error is \"\(words)\"")
}

private func checkJPEG(_ bytes: [UInt8], _ frame: UnsafeBufferPointer<UInt8>, _ format: V4L2Format) {
    expect(format.isJPEG && bytes.elementsEqual(frame), "other bytes than those of the frame")
    guard let header = JPEGFrameHeader(bytes) else { return }
    expect(
        header.width < format.width + 32 && header.height < format.height + 32,
        "a JPEG of \(header.width)×\(header.height) in \(format.words)")
}

private func check(_ picture: PlanarPicture, _ frame: [UnsafeBufferPointer<UInt8>], _ format: V4L2Format) {
    guard let needed = FrameInput.needed(format) else { fatalError("\(format.words) is a picture") }
    expect(isEnough(frame, needed), "\(frame.map(\.count)) bytes of \(needed) are a picture")
    expect((picture.width, picture.height) == (format.width, format.height), "a picture of another size")
    expect(picture.sampling == .yuv420, "chroma of another size")
    // A frame is converted for each request that gets it, so it stays as it is.
    guard case .planar(let again)? = try? format.picture(of: frame) else {
        fatalError("the second time it fails")
    }
    expect(picture.samples == again.samples, "the second picture of a frame is another one")
    // libv4lconvert converts NV61 by way of RGB, so its picture is another one.
    if frame.count == 1 && format.letters != "NV61" { checkTarget(picture.samples, frame[0], format) }
}

/// What libv4lconvert makes of the frame is the same, and written to memory that ends with the picture.
private func checkTarget(_ samples: [UInt8], _ frame: UnsafeBufferPointer<UInt8>, _ format: V4L2Format) {
    guard
        let rows = PixelLayout(of: V4L2Format.letters(format.pixelFormat))?.rows(
            width: format.width, height: format.height, strides: format.memory.map(\.stride)),
        rows.allSatisfy({ $0.stride == $0.length }), samples.count <= GuardedFrame.capacity
    else { return }
    // A copy, because some formats are overwritten.
    var copy = Array(frame.prefix(rows.reduce(0) { $0 + $1.length * $1.count }))
    var forC = format.forC(stride: rows[0].length, size: copy.count)
    var reason = cv4l2_reason()
    let to = target.last(samples.count)
    let result = copy.withUnsafeMutableBufferPointer { copy in
        cv4l2_convert(&forC, copy.baseAddress, copy.count, to, &reason)
    }
    expect(result == 0, "a frame that was converted cannot be")
    expect(samples.elementsEqual(UnsafeBufferPointer(start: to, count: samples.count)), "another picture")
}
