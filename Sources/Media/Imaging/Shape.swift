internal import Cameras

/// The size of a picture in pixels, and how its chroma is sampled.
struct Shape {
    let width: Int
    let height: Int
    /// What it has if it is encoded.
    let sampling: Sampling
    /// What a JPEG has that is turned without being encoded again; nil: it can't be.
    let samplingWithoutLoss: Sampling?

    func turned(by orientation: Orientation) -> Shape {
        let size = orientation.size(width, height)
        return Shape(
            width: size.width, height: size.height, sampling: sampling.sampling(turnedBy: orientation),
            samplingWithoutLoss: sampling.transposed(for: orientation))
    }

    /// The sampling for a part of the picture at another size: as it is, but 4:2:0 where that still has a
    /// sample for each that the picture has. A picture that is enlarged twice has no more colour than that,
    /// and is encoded in less time.
    func sampling(for region: Region, width: Int, height: Int) -> Sampling {
        if sampling == .gray { return .gray }
        let coarse = Sampling.yuv420
        let columns = region.width * Double(self.width) / Double(sampling.columns)
        let rows = region.height * Double(self.height) / Double(sampling.rows)
        let isEnough =
            Double(width) / Double(coarse.columns) >= columns - 0.5
            && Double(height) / Double(coarse.rows) >= rows - 0.5
        return isEnough ? coarse : sampling
    }
}
