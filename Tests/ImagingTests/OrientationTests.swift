import Testing

@testable import Cameras
@testable import Media

/// The coordinates of turned pictures, and that the pixels agree with them.
struct OrientationTests {
    private static let points = [(0.1, 0.2), (0.5, 0.5), (0.93, 0.07), (0, 1), (0.25, 0.8)]

    private func isNear(_ one: (x: Double, y: Double), _ other: (x: Double, y: Double)) -> Bool {
        abs(one.x - other.x) < 1e-9 && abs(one.y - other.y) < 1e-9
    }

    @Test func thereAreEightThatDiffer() {
        #expect(Set(Orientation.allCases).count == 8)
        let places = Orientation.allCases.map { $0.point(0.1, 0.2) }
        for (index, one) in places.enumerated() {
            #expect(!places.dropFirst(index + 1).contains { isNear($0, one) })
        }
    }

    @Test func aQuarterTurnIsClockwise() {
        #expect(isNear(Orientation(quarterTurns: 1).point(0, 0), (1, 0)), "the top left is at the top right")
        #expect(isNear(Orientation.flipped.point(0.1, 0.2), (0.1, 0.8)))
        #expect(isNear(Orientation.mirrored.point(0.1, 0.2), (0.9, 0.2)))
    }

    @Test(arguments: Orientation.allCases) func theInverseLeadsBack(_ orientation: Orientation) {
        #expect(orientation.then(orientation.inverse) == .upright)
        #expect(orientation.inverse.then(orientation) == .upright)
        for point in Self.points {
            let there = orientation.point(point.0, point.1)
            #expect(isNear(orientation.inverse.point(there.x, there.y), (point.0, point.1)))
        }
        let region = Region(x: 0.1, y: 0.3, width: 0.2, height: 0.4)
        let back = orientation.inverse.region(orientation.region(region))
        #expect(isNear((back.x, back.y), (region.x, region.y)))
        #expect(isNear((back.width, back.height), (region.width, region.height)))
    }

    @Test(arguments: Orientation.allCases) func oneAfterTheOtherIsTheirComposition(_ first: Orientation) {
        for next in Orientation.allCases {
            for point in Self.points {
                let half = first.point(point.0, point.1)
                let all = first.then(next).point(point.0, point.1)
                #expect(isNear(next.point(half.x, half.y), all))
            }
        }
    }

    @Test(arguments: Orientation.allCases) func aDirectionTurnsAsTheDifferenceOfTwoPoints(
        _ orientation: Orientation
    ) {
        for (x, y) in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
            let origin = orientation.point(0, 0)
            let end = orientation.point(Double(x), Double(y))
            let turned = orientation.direction(x, y)
            #expect(isNear((end.x - origin.x, end.y - origin.y), (Double(turned.x), Double(turned.y))))
        }
    }

    // MARK: Pixels

    /// A picture in which the luma of every pixel tells its place, smooth enough to be scaled.
    private func gradient(_ sampling: Sampling, _ width: Int, _ height: Int)
        -> PlanarPicture
    {
        func plane(_ index: Int, _ value: (Double, Double) -> Double) -> [UInt8] {
            let size = sampling.size(ofPlane: index, width: width, height: height)
            var samples: [UInt8] = []
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let place = (
                        (Double(column) + 0.5) / Double(size.width), (Double(row) + 0.5) / Double(size.height)
                    )
                    samples.append(UInt8(value(place.0, place.1).rounded()))
                }
            }
            return samples
        }
        return PlanarPicture(
            sampling: sampling, width: width, height: height,
            samples: plane(0) { 20 + 150 * $0 + 60 * $1 } + plane(1) { x, _ in 40 + 160 * x }
                + plane(2) { _, y in 40 + 160 * y })
    }

    /// The same content is at the same place, of each plane, whatever part is shown at whatever size.
    @Test(arguments: Orientation.allCases, [Sampling.yuv420, .yuv422, .yuv444])
    func everyPointShowsTheContentOfItsPlaceInTheSource(
        _ orientation: Orientation, _ sampling: Sampling
    ) throws {
        let maker = try FrameMaker()
        let picture = Picture.planar(gradient(sampling, 96, 64)).oriented(orientation)
        let region = Region(x: 0.25, y: 0.125, width: 0.5, height: 0.75)
        let own = orientation.size(96, 64)
        for (shown, width, height) in [
            (Region.whole, own.width, own.height), (region, 50, 38), (region, 33, 71),
        ] {
            try maker.withPlanes(of: picture, showing: shown, width: width, height: height) { planes in
                #expect((planes.width, planes.height) == (width, height))
                for index in 0..<3 { expect(planes[index], index, shows: shown, orientation) }
            }
        }
    }

    private func expect(
        _ plane: Planes.Plane, _ index: Int, shows shown: Region, _ orientation: Orientation
    ) {
        for row in stride(from: 3, to: plane.height - 3, by: 4) {
            for column in stride(from: 3, to: plane.width - 3, by: 4) {
                let x = shown.x + shown.width * (Double(column) + 0.5) / Double(plane.width)
                let y = shown.y + shown.height * (Double(row) + 0.5) / Double(plane.height)
                let place = orientation.inverse.point(x, y)
                let expected = [
                    20 + 150 * place.x + 60 * place.y, 40 + 160 * place.x, 40 + 160 * place.y,
                ][index]
                let found = Double(plane.base[row * plane.stride + column])
                #expect(abs(found - expected) < 6, "\(orientation) plane \(index) at \(column), \(row)")
            }
        }
    }

    @Test(arguments: Orientation.allCases) func aPhotoOfAJPEGHasTheSizeAndTheContentOfTheTurnedPicture(
        _ orientation: Orientation
    ) throws {
        let maker = try PhotoMaker()
        let jpeg = try maker.photo(of: .planar(gradient(.yuv422, 96, 64)), quality: 95).bytes
        let photo = try maker.photo(of: Picture.jpeg(jpeg).oriented(orientation))
        let size = orientation.size(96, 64)
        #expect((photo.width, photo.height) == size)
        // The planes are its memory.
        let decoder = try JPEGDecoder()
        defer { withExtendedLifetime(decoder) {} }
        let planes = try decoder.decode(photo.bytes)
        #expect((planes.width, planes.height) == size)
        for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.6, 0.4)] {
            let (column, row) = (Int(x * Double(size.width)), Int(y * Double(size.height)))
            let place = orientation.inverse.point(
                (Double(column) + 0.5) / Double(size.width), (Double(row) + 0.5) / Double(size.height))
            let found = Double(planes.luma.base[row * planes.luma.stride + column])
            #expect(abs(found - (20 + 150 * place.x + 60 * place.y)) < 8)
        }
    }

    @Test(arguments: Orientation.allCases) func theReducedCopyIsTurnedToo(_ orientation: Orientation) throws {
        let maker = try PhotoMaker()
        let jpeg = try maker.photo(of: .planar(gradient(.yuv420, 96, 64)), quality: 95).bytes
        let region = Region(x: 0, y: 0, width: 0.5, height: 0.5)
        var made: PlanarPicture?
        let copy = try ReducedCopy(showing: region, width: 24) { made = $0 }
        let size = orientation.size(96, 64)
        try maker.withJPEG(
            of: Picture.jpeg(jpeg).oriented(orientation), width: size.width / 2, height: size.height / 2,
            beside: copy
        ) { _ in }
        let small = try #require(made)
        #expect(small.width == 24 && small.height == 24 * size.height / size.width)
        for (x, y) in [(0.2, 0.2), (0.8, 0.2), (0.2, 0.8)] {
            let (column, row) = (Int(x * 24), Int(y * Double(small.height)))
            let place = orientation.inverse.point(
                (Double(column) + 0.5) / 48, (Double(row) + 0.5) / Double(small.height) / 2)
            let found = Double(small.samples[row * 24 + column])
            #expect(abs(found - (20 + 150 * place.x + 60 * place.y)) < 8)
        }
    }

    @Test func anUprightPictureIsPassedThroughAndATurnedOneIsNot() throws {
        let maker = try PhotoMaker()
        let jpeg = try maker.photo(of: .planar(gradient(.yuv420, 96, 64)), quality: 95).bytes
        let upright = Picture.jpeg(jpeg).oriented(.halfTurn).oriented(.halfTurn)
        #expect(try maker.photo(of: upright).bytes == jpeg)
        #expect(try maker.photo(of: Picture.jpeg(jpeg).oriented(.halfTurn)).bytes != jpeg)
    }

    @Test func limitsOfASizeAreThoseOfTheTurnedPicture() throws {
        let picture = Picture.planar(gradient(.yuv420, 96, 64)).oriented(Orientation(quarterTurns: 1))
        let size = try PhotoMaker().limited(PhotoSize(width: 1_000, height: 1_000), to: picture)
        #expect(size.width == 64 && size.height == 96)
    }
}
