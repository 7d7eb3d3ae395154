/// How many luma samples share a chroma sample.
package enum Sampling: Sendable, Equatable, CaseIterable {
    case yuv444
    case yuv422
    case yuv420
    case gray
    case yuv440
    case yuv411

    /// Planes in the picture.
    package var planes: Int { self == .gray ? 1 : 3 }

    /// Luma columns that share a chroma sample.
    package var columns: Int {
        switch self {
        case .yuv444, .yuv440, .gray: 1
        case .yuv422, .yuv420: 2
        case .yuv411: 4
        }
    }

    /// Luma rows that share a chroma sample.
    package var rows: Int {
        switch self {
        case .yuv444, .yuv422, .yuv411, .gray: 1
        case .yuv420, .yuv440: 2
        }
    }

    /// The sampling of the same planes when columns and rows are exchanged; nil: there is none.
    package var transposed: Sampling? {
        self == .gray ? .gray : Sampling(columns: rows, rows: columns)
    }

    /// The sampling of a colour picture in which a chroma sample has so many columns and rows; nil: another
    /// one.
    package init?(columns: Int, rows: Int) {
        let found = Self.allCases.first { $0 != .gray && ($0.columns, $0.rows) == (columns, rows) }
        guard let found else { return nil }
        self = found
    }

    /// The sampling in which a turned picture keeps what it has, among those that every decoder knows.
    package func sampling(turnedBy orientation: Orientation) -> Sampling {
        guard orientation.swapsSides else { return self }
        switch self {
        case .yuv422, .yuv411: return .yuv420
        case .yuv440: return .yuv422
        case .yuv444, .yuv420, .gray: return self
        }
    }

    /// The size of a plane of a picture of `width` × `height` pixels; a chroma sample that is shared in part
    /// counts.
    package func size(ofPlane index: Int, width: Int, height: Int) -> (width: Int, height: Int) {
        index == 0 ? (width, height) : ((width + columns - 1) / columns, (height + rows - 1) / rows)
    }
}
