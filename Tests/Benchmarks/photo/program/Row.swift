import Foundation

/// What was measured of one photo. Times are medians, in milliseconds.
struct Row: Encodable {
    let name: String
    let zoom: Int
    let width: Int
    let height: Int
    /// The part of the source that is shown, as x, y, width and height.
    let part: [Int]
    var ours = 0.0
    var decode = 0.0
    var scale = 0.0
    var encode = 0.0
    /// The median of the libraries' sum, which isn't the sum of the three medians.
    var libraries: Double?
    /// `ours / libraries`.
    var ratio: Double?
    var mostRatio: Double?
    /// What is promised of our own time.
    var mostOurs: Double?
    var ffmpeg: Double?
    var vips: Double?
    var bytes = 0

    /// Nil where nothing is promised.
    var isKept: Bool? {
        if let mostRatio { return (ratio ?? .infinity) <= mostRatio }
        return mostOurs.map { ours <= $0 }
    }

    static let heading =
        "photo                  ours  libraries (decode+scale+encode)   ratio  promised  kept   ffmpeg  libvips"

    var line: String {
        let parts = [column(decode, 6), column(scale, 5), column(encode, 6)].joined(separator: " +")
        let promise = mostRatio.map { "≤ \($0)" } ?? mostOurs.map { "≤ \($0) ms" } ?? ""
        let kept = isKept.map { $0 ? "yes" : "NO" } ?? ""
        return name.padding(toLength: 19, withPad: " ", startingAt: 0)
            + column(ours, 8, digits: mostOurs == nil ? 2 : 4) + column(libraries, 11) + " (\(parts))"
            + column(ratio, 10) + text(promise, 10) + text(kept, 6) + column(ffmpeg, 9) + column(vips, 9)
    }

    private func column(_ value: Double?, _ width: Int, digits: Int = 2) -> String {
        text(value.map { String(format: "%.\(digits)f", $0) } ?? "-", width)
    }

    private func text(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}
