import Cameras
import Media
import Settings

/// A picture of a virtual camera to measure: 1080p from a 1080p JPEG, in the form that most programs read.
struct OutputShot {
    let part: Shot
    /// What is promised: the most that ours may take of what ffmpeg takes.
    private let mostRatio = 1.0

    static let all = Shot.all.filter { $0.width == Shot.source.width && $0.zoom <= 2 }.map(OutputShot.init)

    private init(part: Shot) { self.part = part }

    /// - Parameter peer: nil: it is not there.
    func measure(_ jpeg: [UInt8], rounds: Int, besides peer: FFmpeg?) throws -> Row {
        guard let format = OutputFormat(.yuyv, width: part.width, height: part.height) else {
            throw PhotoBenchmark.Failure(words: "an output device can't have this size")
        }
        let maker = try OutputPictureMaker(format)
        var row = Row(
            name: "output \(part.name)", zoom: part.zoom, width: part.width, height: part.height, part: [])
        let times = try (-3..<rounds).map { _ in
            try PhotoBenchmark.timed { try maker.make(of: .jpeg(jpeg), showing: part.region, effect: .none) }
                .time
        }
        row.ours = Array(times.dropFirst(3)).median
        row.bytes = format.pictureBytes
        if let peer {
            let theirs = try peer.milliseconds(forSamplesIn: "yuyv422")
            (row.ffmpeg, row.ratio, row.mostRatio) = (theirs, row.ours / theirs, mostRatio)
        }
        return row
    }
}
