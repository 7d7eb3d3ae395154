import Testing

@testable import Cameras
@testable import Media

/// JPEGs of cameras whose picture is turned: the coefficients stay, where the size permits it.
struct LosslessTurnTests {
    private static let turns = Orientation.allCases.filter { $0 != .upright }
    private let maker: PhotoMaker

    init() throws { maker = try PhotoMaker() }

    private func turned(_ jpeg: [UInt8], _ orientation: Orientation) throws -> Photo {
        try maker.photo(of: Picture.jpeg(jpeg).oriented(orientation))
    }

    /// The same picture as the maker encodes it.
    private func encoded(_ jpeg: [UInt8], _ orientation: Orientation) throws -> [UInt8] {
        try maker.photo(
            of: Picture.jpeg(jpeg).oriented(orientation), quality: PhotoMaker.defaultQuality
        ).bytes
    }

    private func planes(_ jpeg: [UInt8], _ body: (Planes) throws -> Void) throws {
        let decoder = try JPEGDecoder()
        try withExtendedLifetime(decoder) { try body(decoder.decode(jpeg)) }
    }

    /// 96 × 64 are whole units in each sampling and each direction.
    @Test(arguments: turns, [Sampling.yuv420, .yuv422, .yuv440, .yuv444, .gray])
    func turnedBackItHasTheSameSamples(_ orientation: Orientation, _ sampling: Sampling) throws {
        let jpeg = try jpegMap(96, 64, sampling)
        let photo = try turned(jpeg, orientation)
        let size = orientation.size(96, 64)
        #expect(photo.quality == nil && (photo.width, photo.height) == size)
        #expect(maker.decodings == 0, "no sample was decoded")
        let back = try turned(photo.bytes, orientation.inverse)
        #expect(back.quality == nil)
        #expect(try samples(of: back.bytes) == samples(of: jpeg))
        #expect(try samples(of: photo.bytes) != samples(of: jpeg))
    }

    @Test(arguments: turns, [Sampling.yuv420, .yuv422, .yuv444, .gray])
    func eachSampleIsAtItsPlace(_ orientation: Orientation, _ sampling: Sampling) throws {
        let jpeg = try jpegMap(96, 64, sampling)
        let photo = try turned(jpeg, orientation)
        try planes(jpeg) { source in
            try planes(photo.bytes) { made in
                #expect((made.width, made.height) == orientation.size(96, 64))
                for index in 0..<source.count {
                    let (from, to) = (source[index], made[index])
                    var largest = 0
                    for row in 0..<from.height {
                        for column in 0..<from.width {
                            let place = orientation.point(
                                (Double(column) + 0.5) / Double(from.width),
                                (Double(row) + 0.5) / Double(from.height))
                            let x = Int(place.x * Double(to.width))
                            let y = Int(place.y * Double(to.height))
                            let (one, other) = (
                                from.base[row * from.stride + column], to.base[y * to.stride + x]
                            )
                            largest = max(largest, abs(Int(one) - Int(other)))
                        }
                    }
                    // The transform back rounds columns and rows one after the other.
                    #expect(largest <= 1, "plane \(index)")
                }
            }
        }
    }

    /// The quantisation tables of a JPEG, each in rows of eight frequencies.
    private func quantisation(_ jpeg: [UInt8]) -> [[UInt8]] {
        // The order of frequencies in a file.
        let zigzag = (0..<15).flatMap { sum in
            let rows = max(0, sum - 7)...min(sum, 7)
            return (sum.isMultiple(of: 2) ? rows.reversed() : Array(rows)).map { $0 * 8 + sum - $0 }
        }
        return jpeg.indices.filter { jpeg[$0...].starts(with: [0xFF, 0xDB]) }.flatMap { segment in
            let length = Int(jpeg[segment + 2]) << 8 | Int(jpeg[segment + 3])
            return stride(from: segment + 5, to: segment + 2 + length, by: 65).map { start in
                var table = [UInt8](repeating: 0, count: 64)
                for (place, frequency) in zigzag.enumerated() { table[frequency] = jpeg[start + place] }
                return table
            }
        }
    }

    @Test(arguments: turns) func theQuantisationIsTurnedWithThePicture(_ orientation: Orientation) throws {
        let jpeg = try jpegMap(96, 64, .yuv420)
        let (source, made) = (quantisation(jpeg), quantisation(try turned(jpeg, orientation).bytes))
        let exchanged = source.map { table in
            (0..<64).map { (place: Int) in table[place % 8 * 8 + place / 8] }
        }
        #expect(source.count == 2 && source != exchanged)
        #expect(made == (orientation.swapsSides ? exchanged : source))
    }

    @Test("a picture whose new left or top edge is inside a unit is encoded")
    func oddSizes() throws {
        for (width, height) in [(95, 64), (96, 63), (95, 63), (9, 5), (1, 1)] {
            let jpeg = try jpegMap(width, height, .yuv420)
            for orientation in Self.turns {
                let (right, down) = (orientation.direction(1, 0), orientation.direction(0, 1))
                let isPossible =
                    (right.x + right.y > 0 || width.isMultiple(of: 16))
                    && (down.x + down.y > 0 || height.isMultiple(of: 16))
                let photo = try turned(jpeg, orientation)
                #expect((photo.width, photo.height) == orientation.size(width, height))
                if isPossible {
                    #expect(photo.quality == nil, "\(width) × \(height), \(orientation)")
                    let back = try turned(photo.bytes, orientation.inverse)
                    if back.quality == nil { #expect(try samples(of: back.bytes) == samples(of: jpeg)) }
                } else {
                    #expect(photo.quality == PhotoMaker.defaultQuality)
                    #expect(try photo.bytes == encoded(jpeg, orientation))
                }
            }
        }
    }

    @Test("4:1:1 has no turned form, and a large picture too many coefficients: they are encoded")
    func otherPicturesThatAreEncoded() throws {
        let quarter = Orientation(quarterTurns: 1)
        let narrow = try jpegMap(64, 64, .yuv411)
        #expect(try turned(narrow, quarter).quality == PhotoMaker.defaultQuality)
        #expect(try turned(narrow, .halfTurn).quality == nil)
        // Two bytes for each of the pixels: 31.6 MiB and 32.1 MiB.
        #expect(try turned(flat(4096, 4048), .halfTurn).quality == nil)
        #expect(try turned(flat(4096, 4112), .halfTurn).quality == PhotoMaker.defaultQuality)
    }

    @Test("anything that was asked of the photo has it encoded")
    func requests() throws {
        let picture = Picture.jpeg(try jpegMap(96, 64)).oriented(.halfTurn)
        #expect(try maker.photo(of: picture, quality: 90).quality == 90)
        #expect(try maker.photo(of: picture, fitting: PhotoSize(width: 48)).quality == 90)
        #expect(try maker.photo(of: picture, effect: .sepia).quality == 90)
        let part = Region(x: 0, y: 0, width: 0.5, height: 0.5)
        #expect(try maker.photo(of: picture, showing: part).quality == 90)
    }

    @Test("frames of a movie keep the sampling of those that are encoded")
    func frames() throws {
        let jpeg = try jpegMap(96, 64, .yuv422)
        for (orientation, quality, sampling) in [
            (Orientation.halfTurn, Int?.none, Sampling.yuv422), (Orientation(quarterTurns: 1), 90, .yuv420),
        ] {
            let size = orientation.size(96, 64)
            let (made, bytes) = try maker.withJPEG(
                of: Picture.jpeg(jpeg).oriented(orientation), width: size.width, height: size.height
            ) { ($0.quality, Array($0.bytes)) }
            #expect(made == quality)
            #expect(try JPEGHeader(of: bytes).sampling == sampling)
        }
        #expect(try JPEGHeader(of: turned(jpeg, Orientation(quarterTurns: 1)).bytes).sampling == .yuv440)
    }

    @Test("comments and application segments stay as they are")
    func segments() throws {
        let jpeg = try jpegMap(96, 64)
        func segment(_ marker: UInt8, _ text: String) -> [UInt8] {
            [0xFF, marker, 0, UInt8(text.utf8.count + 2)] + Array(text.utf8)
        }
        let own = segment(0xE1, "Exif\0\0…") + segment(0xE5, "maker") + segment(0xFE, "a comment")
        let photo = try turned(Array(jpeg[..<2] + own + jpeg[2...]), .halfTurn)
        #expect(photo.quality == nil)
        #expect(photo.bytes.ranges(of: own).count == 1)
        #expect(photo.bytes.ranges(of: Array("JFIF".utf8)).count == 1)
    }

    // MARK: Damage

    /// What becomes of a JPEG that is turned without loss, and of the same one that is encoded.
    private func expectSameError(_ jpeg: [UInt8], _ orientation: Orientation = .halfTurn) {
        func error(_ make: () throws -> Void) -> ImagingError? {
            do {
                try make()
                return nil
            } catch { return error as? ImagingError }
        }
        let (one, other) = (
            error { _ = try turned(jpeg, orientation) }, error { _ = try encoded(jpeg, orientation) }
        )
        #expect(one == other)
    }

    @Test("a damaged JPEG is the same error as one that is encoded")
    func damaged() throws {
        let jpeg = try jpegMap(96, 64, .yuv420)
        for count in stride(from: 0, to: jpeg.count, by: 31) { expectSameError(Array(jpeg[..<count])) }
        for count in stride(from: 0, to: jpeg.count, by: 31) {
            expectSameError(Array(jpeg[..<count]) + [0xFF, 0xD9])
        }
        var state: UInt64 = 1
        for index in jpeg.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var bytes = jpeg
            bytes[index] ^= UInt8(truncatingIfNeeded: state >> 33) | 1
            expectSameError(bytes, Self.turns[index % Self.turns.count])
        }
        #expect(try turned(jpeg, .halfTurn).quality == nil, "the maker can be used again")
    }

    /// A flat picture whose first coefficient is 2048 × 8, for which baseline JPEGs have no code.
    @Test("a coefficient that no encoder makes has the picture encoded")
    func coefficientsWithoutACode() throws {
        var jpeg = flat(64, 64)
        let table = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC4, 0, 20, 0]) })
        // Each difference of first coefficients is zero; now each has 12 bits, which are zeros.
        jpeg[table + 21] = 12
        let scan = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xDA]) })
        jpeg = jpeg[..<(scan + 10)] + [UInt8](repeating: 0, count: 64 * 14 / 8) + [0xFF, 0xD9]
        #expect(try turned(jpeg, .halfTurn).quality == PhotoMaker.defaultQuality)
    }

    @Test("so is one of too many scans, or of too many coefficients in several scans")
    func bombs() throws {
        #expect(
            try turned(progressive(64, 48, scans: 20), .halfTurn).quality == PhotoMaker.defaultQuality)
        #expect(throws: ImagingError.damaged("it has more than 20 scans")) {
            try turned(progressive(64, 48, scans: 21), .halfTurn)
        }
        expectSameError(progressive(4096, 4112, scans: 1))
    }

    /// A gray baseline JPEG of one colour: each block has two codes of one bit.
    private func flat(_ width: Int, _ height: Int) -> [UInt8] {
        let blocks = width / 8 * (height / 8)
        func table(_ kind: UInt8) -> [UInt8] {
            [0xFF, 0xC4, 0, 20, kind, 1] + [UInt8](repeating: 0, count: 15) + [0]
        }
        return [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
            + [0xFF, 0xC0, 0, 11, 8, UInt8(height >> 8), UInt8(height & 255)]
            + [UInt8(width >> 8), UInt8(width & 255), 1, 1, 0x11, 0]
            + table(0x00) + table(0x10) + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
            + [UInt8](repeating: 0, count: blocks / 4) + [0xFF, 0xD9]
    }
}
