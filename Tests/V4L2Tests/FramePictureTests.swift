import Glibc
import Testing

@testable import Cameras

/// Pictures of the frames of a driver, in memory that ends with the frame and that cannot be written to.
@Suite("A frame that is not what its format says is refused")
struct FramePictureTests {
    /// Bytes behind which there is a page that cannot be accessed. They are read-only, so a write ends the
    /// tests too.
    private final class GuardedBytes {
        let bytes: UnsafeBufferPointer<UInt8>
        private let start: UnsafeMutableRawPointer
        private let mapped: Int

        init(_ count: Int, _ byte: (Int) -> UInt8) {
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            let length = (count + page - 1) / page * page
            mapped = length + page
            guard
                let start = mmap(
                    nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                start != MAP_FAILED
            else { fatalError("no memory") }
            self.start = start
            let frame = (start + (length - count)).bindMemory(to: UInt8.self, capacity: count)
            for place in 0..<count { frame[place] = byte(place) }
            guard mprotect(start, length, PROT_READ) == 0, mprotect(start + length, page, PROT_NONE) == 0
            else {
                fatalError("no protected memory")
            }
            bytes = UnsafeBufferPointer(start: frame, count: count)
        }

        deinit { munmap(start, mapped) }
    }

    private static let formats = PixelLayout.all.keys.sorted()

    /// A format with the same stride in each plane of memory.
    private func format(_ letters: String, _ width: Int, _ height: Int, stride: Int = 0) -> V4L2Format {
        let planes = PixelLayout(of: letters)?.memoryPlanes ?? 1
        return V4L2Format(
            pixelFormat: V4L2Format.code(letters), width: width, height: height,
            memory: [V4L2Format.MemoryPlane](repeating: .init(stride: stride, size: 0), count: planes),
            isFullRange: true)
    }

    private func error(_ format: V4L2Format, _ frame: UnsafeBufferPointer<UInt8>) -> String? {
        error(format, [UnsafeBufferPointer<UInt8>](repeating: frame, count: format.memory.count))
    }

    private func error(_ format: V4L2Format, _ planes: [UnsafeBufferPointer<UInt8>]) -> String? {
        do {
            _ = try format.picture(of: planes)
            return nil
        } catch {
            guard case .device(let words) = error else { return "\(error)" }
            return words
        }
    }

    private func samples(_ picture: Picture) throws -> [UInt8] {
        guard case .planar(let picture) = picture else { throw CameraError.device("no planes") }
        return picture.samples
    }

    /// The picture of a frame, with its bytes in each plane of memory.
    private func samples(_ format: V4L2Format, _ planes: [[UInt8]]) throws -> [UInt8] {
        let guarded = planes.map { bytes in GuardedBytes(bytes.count) { bytes[$0] } }
        return try withExtendedLifetime(guarded) { try samples(format.picture(of: guarded.map(\.bytes))) }
    }

    @Test("exactly enough bytes are enough, one less is refused", arguments: formats)
    func length(letters: String) throws {
        let layout = try #require(PixelLayout(of: letters))
        for (width, height) in [(16, 16), (64, 48), (320, 180), (644, 482)] {
            let row = try #require(layout.rowLength(width: width))
            for stride in [0, row, row + 2, row + 64] {
                let format = format(letters, width, height, stride: stride)
                let strides = [Int](repeating: stride, count: layout.memoryPlanes)
                let lengths = try #require(
                    layout.rows(width: width, height: height, strides: strides)?.lengths)
                let enough = lengths.map { GuardedBytes($0) { UInt8(truncatingIfNeeded: $0 &* 7) } }
                let picture = try samples(format.picture(of: enough.map(\.bytes)))
                #expect(picture.count == width * height * 3 / 2)
                for (place, length) in lengths.enumerated() {
                    let which = lengths.count > 1 ? " in plane \(place + 1)" : ""
                    let less = GuardedBytes(length - 1) { _ in 0 }
                    var planes = enough.map(\.bytes)
                    planes[place] = less.bytes
                    #expect(
                        error(format, planes)
                            == "the frame is shorter than its format says: \(letters) \(width)×\(height) needs \(length) bytes\(which) and has \(length - 1)"
                    )
                    planes[place] = UnsafeBufferPointer(rebasing: less.bytes[..<0])
                    #expect(error(format, planes) != nil)
                }
            }
            let strides = format(letters, width, height, stride: row - 1).memory.map { "\($0.stride)" }
            #expect(
                error(
                    format(letters, width, height, stride: row - 1),
                    GuardedBytes(row * height * 3) { _ in 0 }.bytes)
                    == "the rows of the frame are shorter than its format says: \(letters) \(width)×\(height) in \(strides.joined(separator: " and ")) bytes"
            )
        }
    }

    /// The lengths of V4L2's documentation, computed by hand.
    @Test(arguments: [
        ("YUYV", 640, 480, 0, 614_400), ("YUYV", 640, 480, 1344, 1344 * 479 + 1280),
        ("NV12", 640, 480, 0, 460_800),
        ("NV12", 640, 480, 704, 704 * 480 + 704 * 239 + 640), ("NV16", 640, 480, 0, 614_400),
        ("YU12", 640, 480, 704, 704 * 480 + 352 * 240 + 352 * 239 + 320), ("M420", 640, 480, 0, 460_800),
        ("RGB3", 640, 480, 0, 921_600), ("BGR4", 640, 480, 0, 1_228_800), ("GREY", 640, 480, 0, 307_200),
        ("pRAA", 640, 480, 0, 384_000), ("RG10", 640, 480, 0, 614_400), ("BA81", 640, 480, 0, 307_200),
        ("Y16 -BE", 16_384, 16_384, 0, 536_870_912), ("XR24", 16_384, 16_384, 0, 1_073_741_824),
    ])
    func knownLengths(letters: String, width: Int, height: Int, stride: Int, length: Int) {
        let lengths = PixelLayout(of: letters)?.rows(width: width, height: height, strides: [stride])?.lengths
        #expect(lengths == [length])
    }

    /// With a plane of memory for each plane of samples; each has a stride of its own.
    @Test(arguments: [
        ("NM12", [0, 0], [307_200, 153_600]), ("NM21", [704, 0], [704 * 479 + 640, 153_600]),
        ("NM16", [0, 704], [307_200, 704 * 479 + 640]), ("NM61", [0, 0], [307_200, 307_200]),
        ("YM12", [0, 0, 0], [307_200, 76_800, 76_800]),
        ("YM21", [640, 384, 512], [307_200, 384 * 239 + 320, 512 * 239 + 320]),
    ])
    func knownLengthsOfPlanes(letters: String, strides: [Int], lengths: [Int]) throws {
        let layout = try #require(PixelLayout(of: letters))
        #expect(layout.memoryPlanes == strides.count)
        #expect(layout.rows(width: 640, height: 480, strides: strides)?.lengths == lengths)
        #expect(layout.rows(width: 640, height: 480, strides: strides + [0])?.lengths == nil)
        #expect(layout.rows(width: 640, height: 480, strides: strides.dropLast())?.lengths == nil)
    }

    @Test("what pads the rows is not in the picture", arguments: formats)
    func padding(letters: String) throws {
        let (width, height) = (64, 48)
        let layout = try #require(PixelLayout(of: letters))
        let row = try #require(layout.rowLength(width: width))
        func rows(stride: Int) throws -> [PixelLayout.Rows] {
            let strides = [Int](repeating: stride, count: layout.memoryPlanes)
            return try #require(layout.rows(width: width, height: height, strides: strides))
        }
        let (tight, padded) = (try rows(stride: 0), try rows(stride: row + 32))
        // The samples are random, and the same in both frames; what pads them is 0xEE.
        var (random, bytes): (UInt32, [[UInt8]]) = (1, [])
        for rows in tight {
            bytes.append(
                (0..<rows.length * rows.count).map { _ in
                    random = random &* 1_664_525 &+ 1_013_904_223
                    return UInt8(truncatingIfNeeded: random >> 24)
                })
        }
        func frame(_ planes: [PixelLayout.Rows]) -> [[UInt8]] {
            var frame = planes.lengths.map { [UInt8](repeating: 0xEE, count: $0) }
            for (rows, samples) in zip(planes, bytes) {
                for row in 0..<rows.count {
                    let start = rows.start + row * rows.stride
                    frame[rows.memory].replaceSubrange(
                        start..<start + rows.length,
                        with: samples[row * rows.length..<(row + 1) * rows.length])
                }
            }
            return frame
        }
        let expected = try samples(format(letters, width, height), frame(tight))
        let found = try samples(format(letters, width, height, stride: row + 32), frame(padded))
        #expect(found == expected)
        #expect(Set(expected).count > 8)
    }

    @Test("samples are where the format has them")
    func content() throws {
        // A ramp of luma, one blue difference and one red difference.
        let (width, height) = (32, 16)
        let luma = (0..<width * height).map { UInt8(40 + $0 % 128) }
        let chroma = width * height / 4
        let blue = [UInt8](repeating: 90, count: chroma)
        let red = [UInt8](repeating: 170, count: chroma)
        let alternating = (0..<chroma).flatMap { _ in [90, 170] as [UInt8] }
        let redFirst = (0..<chroma).flatMap { _ in [170, 90] as [UInt8] }
        let planar = luma + blue + red
        let packed = (0..<width * height).flatMap { [luma[$0], $0.isMultiple(of: 2) ? 90 : 170] as [UInt8] }
        for (letters, frame) in [
            ("YU12", [planar]), ("NV12", [luma + alternating]), ("YV12", [luma + red + blue]),
            ("YUYV", [packed]), ("NV16", [luma + alternating + alternating]),
            ("NV61", [luma + redFirst + redFirst]), ("YM12", [luma, blue, red]), ("YM21", [luma, red, blue]),
            ("NM12", [luma, alternating]), ("NM21", [luma, redFirst]),
            ("NM16", [luma, alternating + alternating]), ("NM61", [luma, redFirst + redFirst]),
        ] {
            #expect(try samples(format(letters, width, height), frame) == planar, "\(letters)")
        }
    }

    @Test("of chroma with all rows, each sample is the mean of two rows", arguments: ["NV16", "NM16"])
    func chromaRows(letters: String) throws {
        let (width, height) = (16, 16)
        let luma = [UInt8](repeating: 100, count: width * height)
        // Blue difference counts the rows, from 100; red difference counts the columns.
        let chroma = (0..<height).flatMap { (row: Int) -> [UInt8] in
            (0..<width / 2).flatMap { (column: Int) -> [UInt8] in [UInt8(100 + 2 * row), UInt8(10 * column)] }
        }
        let found = try samples(
            format(letters, width, height), letters == "NM16" ? [luma, chroma] : [luma + chroma])
        let blue = (0..<height / 2).flatMap { row in
            [UInt8](repeating: UInt8(101 + 4 * row), count: width / 2)
        }
        let red = (0..<height / 2).flatMap { _ in (0..<width / 2).map { UInt8(10 * $0) } }
        #expect(found == luma + blue + red)
    }

    @Test("black and white of the narrow range become 0 and 255", arguments: ["YU12", "NM12", "YM12"])
    func narrowRange(letters: String) throws {
        var narrow = format(letters, 16, 16)
        narrow.isFullRange = false
        let luma = (0..<256).map { UInt8($0.isMultiple(of: 2) ? 16 : 235) }
        let chroma = (0..<128).map { UInt8($0.isMultiple(of: 2) ? 16 : 240) }
        let frames = [
            "YU12": [luma + chroma], "NM12": [luma, chroma],
            "YM12": [luma, Array(chroma[..<64]), Array(chroma[64...])],
        ]
        let found = try samples(narrow, try #require(frames[letters]))
        #expect(found[..<256].elementsEqual(luma.map { $0 == 16 ? 0 : 255 }))
        #expect(Set(found[256...]) == [0, 255])
    }

    @Test("a frame with other planes of memory than its format is refused")
    func planes() {
        let memory = GuardedBytes(1 << 16) { _ in 0 }
        func words(_ letters: String, memory planes: Int, frame: Int) -> String? {
            var wrong = format(letters, 64, 48)
            wrong.memory = [V4L2Format.MemoryPlane](repeating: .init(stride: 0, size: 0), count: planes)
            return error(wrong, [UnsafeBufferPointer<UInt8>](repeating: memory.bytes, count: frame))
        }
        #expect(words("NM12", memory: 2, frame: 2) == nil)
        for (letters, memory, right) in [
            ("NM12", 1, 2), ("NM12", 3, 2), ("YM12", 2, 3), ("NV12", 2, 1), ("YUYV", 0, 1), ("MJPG", 8, 1),
        ] {
            let planes = memory == 1 ? "1 plane" : "\(memory) planes"
            #expect(
                words(letters, memory: memory, frame: memory)
                    == "the driver describes \(letters) 64×48 with \(planes) of memory, not \(right)")
        }
        #expect(
            words("NM12", memory: 2, frame: 1)
                == "the frame has 1 plane of memory; its format NM12 64×48 has 2")
        #expect(
            words("MJPG", memory: 1, frame: 0)
                == "the frame has 0 planes of memory; its format MJPG 64×48 has 1")
    }

    @Test(
        "the same colour in the formats of red, green and blue",
        arguments: [
            ("RGB3", [200, 100, 48]), ("BGR3", [48, 100, 200]), ("RGBP", [0x26, 0xCB]),
            ("BGR4", [48, 100, 200, 0]),
            ("XR24", [48, 100, 200, 0]), ("RGB4", [0, 200, 100, 48]),
        ] as [(String, [UInt8])])
    func colour(letters: String, pixel: [UInt8]) throws {
        let frame = (0..<32 * 16).flatMap { _ in pixel }
        let found = try samples(format(letters, 32, 16), [frame])
        // ITU-R BT.601 of (200, 100, 48), full range; RGBP has 5 or 6 bits of each colour.
        let expected = (luma: 124.0, blue: 85.1, red: 182.2)
        for (place, value) in [(0, expected.luma), (32 * 16, expected.blue), (32 * 16 * 5 / 4, expected.red)]
        {
            #expect(abs(Double(found[place]) - value) < 5, "\(letters): \(found[place]) for \(value)")
        }
    }

    @Test("a side that no picture has is refused before its bytes are looked at")
    func sizes() {
        let frame = GuardedBytes(4096) { _ in 0 }.bytes
        for (width, height) in [(16_386, 16), (16, 16_386), (14, 16), (16, 14), (0, 16), (4_294_967_294, 2)] {
            #expect(
                error(format("GREY", width, height), frame)
                    == "\(width)×\(height) cannot be converted: a side has 16 to 16384 pixels")
        }
        #expect(
            error(format("NV12", 33, 16), frame)
                == "33×16 cannot be converted: width and height must be even")
        // Half of a byte at the end of each row.
        #expect(error(format("Y10B", 18, 16), frame)?.contains("rows of the frame are shorter") == true)
    }

    /// The largest picture: sizes that leave the range of `int` somewhere if they are multiplied in it.
    @Test func largestFrameThatIsTooShort() {
        let frame = GuardedBytes(4096) { _ in 0 }.bytes
        for letters in Self.formats {
            for stride in [0, 70_000, Int(UInt32.max)] {
                let words = error(format(letters, 16_384, 16_384, stride: stride), frame)
                #expect(words?.contains("the frame is shorter than its format says") == true, "\(letters)")
            }
        }
    }

    @Test(
        "formats whose length does not follow from their size are refused",
        arguments: [
            "S561", "S501", "910X", "P207", "M310", "CPIA", "O511", "HSV3", "HSV4", "PJPG", "JPGL", "H264",
            "????",
        ])
    func unknown(letters: String) {
        let frame = GuardedBytes(1 << 20) { _ in 0x5A }.bytes
        #expect(
            error(format(letters, 64, 48), frame)
                == "\(letters) cannot be converted: the format is not supported")
    }

    @Test(
        "a format whose code has other bytes than printable ASCII is not taken for the one that it resembles",
        arguments: [
            (0x3231_56CE, "?V12"), (0x3231_D64E, "N?12"), (0x32B1_564E, "NV?2"), (0xB231_564E, "NV12-BE"),
            (0x3231_5600, "?V12"), (0x3231_567F, "?V12"), (0x4750_4ACD, "?JPG"), (0, "????"),
            (0x8000_0000, "????-BE"),
        ] as [(UInt32, String)])
    func notASCII(code: UInt32, letters: String) {
        let frame = GuardedBytes(1 << 16) { _ in 0x5A }.bytes
        var unknown = format("NV12", 64, 48)
        unknown.pixelFormat = code
        #expect(error(unknown, frame) == "\(letters) cannot be converted: the format is not supported")
    }

    // MARK: JPEG

    /// A JPEG up to its first scan, whose frame header says this size.
    private func jpeg(_ width: Int, _ height: Int, before: [UInt8] = []) -> [UInt8] {
        let size = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
        return [0xFF, 0xD8] + before + [0xFF, 0xC2, 0, 11, 8] + size + [1, 1, 0x11, 0]
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [0, 0xFF, 0xD9]
    }

    @Test(
        "a JPEG larger than the mode is refused, rounded up to whole blocks of 32",
        arguments: ["MJPG", "JPEG"])
    func largeJPEG(letters: String) throws {
        func words(_ width: Int, _ height: Int, before: [UInt8] = []) -> String? {
            jpeg(width, height, before: before).withUnsafeBufferPointer {
                error(format(letters, 1280, 720), $0)
            }
        }
        for (width, height) in [(1280, 720), (1280, 736), (640, 480), (1, 1), (1280, 0)] {
            #expect(words(width, height) == nil, "\(width)×\(height)")
        }
        for (width, height) in [(1281, 720), (1280, 737), (16_384, 16_384), (65_535, 1)] {
            #expect(
                words(width, height)
                    == "the camera sent a JPEG of \(width)×\(height) pixels in the mode \(letters) 1280×720")
        }
        // What libjpeg-turbo skips does not hide the size.
        let skipped: [UInt8] = [0xFF, 0x01, 0xFF, 0xFF, 0xD3, 0xFF, 0xFE, 0, 4, 0xFF, 0xC0]
        #expect(words(16_384, 16_384, before: skipped)?.contains("16384×16384") == true)
    }

    @Test("bytes that are no JPEG are left to the decoder, which knows the reason")
    func noJPEG() throws {
        for bytes in [[], [0xFF], Array("no picture".utf8)] as [[UInt8]] {
            let picture = try bytes.withUnsafeBufferPointer { try format("MJPG", 640, 480).picture(of: [$0]) }
            guard case .jpeg(let passed) = picture else {
                Issue.record("no JPEG")
                continue
            }
            #expect(passed == bytes)
        }
    }
}
