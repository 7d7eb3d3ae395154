internal import Cameras

/// A part of a picture, in its luma samples, of which the edges may lie between samples.
struct Window {
    let planes: Planes
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    /// What to make a plane of a picture of `width` × `height` pixels of. Where that picture's last chroma
    /// sample lies partly outside it, the span goes as far.
    func spans(ofPlane index: Int, _ sampling: Sampling, width: Int, height: Int) -> (
        across: Span, down: Span
    ) {
        let size = sampling.size(ofPlane: index, width: width, height: height)
        let isLuma = index == 0
        func span(
            _ start: Double, _ length: Double, _ share: Int, _ pixels: Int, _ targetShare: Int, _ count: Int
        ) -> Span {
            let (share, targetShare) = isLuma ? (1, 1) : (Double(share), Double(targetShare))
            return Span(
                start: start / share,
                length: Double(count) * targetShare * (length / Double(pixels)) / share, count: count)
        }
        return (
            span(x, self.width, planes.sampling.columns, width, sampling.columns, size.width),
            span(y, self.height, planes.sampling.rows, height, sampling.rows, size.height)
        )
    }
}

extension Window {
    init(_ region: Region, of planes: Planes) {
        self.init(
            planes: planes, x: region.x * Double(planes.width), y: region.y * Double(planes.height),
            width: region.width * Double(planes.width), height: region.height * Double(planes.height))
    }
}
