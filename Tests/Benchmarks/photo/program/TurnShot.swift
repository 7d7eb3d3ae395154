import CPhotoLibraries
import Cameras
import Media

/// A photo at 1× of a camera whose picture is turned: without loss, beside libjpeg-turbo's own function for
/// that, and encoded again.
struct TurnShot {
    private let name: String
    private let orientation: Orientation

    static let all = [
        TurnShot(name: "turned 180", orientation: .halfTurn),
        TurnShot(name: "turned 90", orientation: Orientation(quarterTurns: 1)),
    ]

    func measure(_ jpeg: [UInt8], _ maker: PhotoMaker, rounds: Int) throws -> [Row] {
        let picture = Picture.jpeg(jpeg).oriented(orientation)
        var row = row(name)
        var theirs: [Double] = []
        let lent = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: jpeg.count)
        defer { lent.deallocate() }
        _ = lent.initialize(from: jpeg)
        guard let libraries = photo_libraries_new(lent.baseAddress, lent.count) else {
            throw PhotoBenchmark.Failure(words: "the libraries can't be set up")
        }
        defer { photo_libraries_free(libraries) }
        let ours = try (-3..<rounds).map { _ in
            var time = 0.0
            guard photo_libraries_turn(libraries, orientation.swapsSides ? 1 : 0, &time) == 0 else {
                throw PhotoBenchmark.Failure(words: "TurboJPEG can't turn it")
            }
            theirs.append(time)
            let made = try PhotoBenchmark.timed { try maker.photo(of: picture) }
            guard made.result.quality == nil else {
                throw PhotoBenchmark.Failure(words: "the photo was encoded again")
            }
            row.bytes = made.result.bytes.count
            return made.time
        }
        (row.ours, row.libraries) = (Array(ours.dropFirst(3)).median, Array(theirs.dropFirst(3)).median)
        row.ratio = row.libraries.map { row.ours / $0 }
        var encoded = self.row(name + " encoded")
        encoded.ours = try (0..<rounds).map { _ in
            let made = try PhotoBenchmark.timed {
                try maker.photo(of: picture, quality: PhotoBenchmark.quality)
            }
            encoded.bytes = made.result.bytes.count
            return made.time
        }.median
        return [row, encoded]
    }

    private func row(_ name: String) -> Row {
        let (width, height) = Shot.source
        return Row(name: name, zoom: 1, width: width, height: height, part: [0, 0, width, height])
    }
}
