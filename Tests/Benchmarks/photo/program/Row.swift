import Foundation

/// What was measured at one zoom factor. Times are medians, in milliseconds.
struct Row: Encodable {
    let zoom: Int
    let passThrough: Bool
    var ours = 0.0
    var decode = 0.0
    var scale = 0.0
    var encode = 0.0
    /// The median of the libraries' sum, which isn't the sum of the three medians.
    var libraries: Double?
    /// `ours / libraries`.
    var ratio: Double?
    var ffmpeg: Double?
    /// `ours / ffmpeg`.
    var ffmpegRatio: Double?
    var bytes = 0
    var ffmpegBytes: Int?

    static let heading = "zoom            ours  libraries (decode+scale+encode)   ratio   ffmpeg  ours/ffmpeg"

    var line: String {
        let name = "\(zoom)x" + (passThrough ? " untouched" : "")
        let parts = [column(decode, 6), column(scale, 5), column(encode, 6)].joined(separator: " +")
        return name.padding(toLength: 13, withPad: " ", startingAt: 0)
            + column(ours, 7, digits: passThrough ? 4 : 2) + column(libraries, 11) + " (\(parts))"
            + column(ratio, 10) + column(ffmpeg, 9) + column(ffmpegRatio, 13)
    }

    private func column(_ value: Double?, _ width: Int, digits: Int = 2) -> String {
        let text = value.map { String(format: "%.\(digits)f", $0) } ?? "-"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}
