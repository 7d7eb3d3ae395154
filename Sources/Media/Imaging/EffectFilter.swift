internal import Cameras

/// Puts effects on planes. Keeps its memory from one picture to the next.
final class EffectFilter {
    private let buffer = PlaneBuffer()

    /// - Returns: planes that stay until the next call; those that the effect leaves as they are, are the
    ///   given ones.
    func apply(_ effect: Effect, to planes: Planes) -> Planes {
        if effect == .none { return planes }
        let changed = buffer.layOut(planes.sampling, width: planes.width, height: planes.height)
        for index in 0..<planes.count {
            let isLuma = index == 0
            switch effect {
            case .none: break
            case .mono: if !isLuma { changed[index].fill(128) }
            case .sepia: if !isLuma { changed[index].fill(index == 1 ? 108 : 148) }
            case .negative: changed[index].fill(from: planes[index]) { ~$0 }
            case .posterise where isLuma: changed[index].fill(from: planes[index]) { ($0 >> 6) &* 85 }
            case .posterise: changed[index].fill(from: planes[index]) { (min($0, 239) &+ 16) & 0xE0 }
            }
        }
        let keepsLuma = effect == .mono || effect == .sepia
        return Planes(
            sampling: planes.sampling, luma: keepsLuma ? planes.luma : changed.luma, chroma: changed.chroma)
    }
}

extension Planes.Plane {
    /// Fills a plane of a ``PlaneBuffer`` with one value.
    func fill(_ value: UInt8) {
        for row in 0..<height { (target + row * stride).update(repeating: value, count: width) }
    }

    /// Fills a plane of a ``PlaneBuffer`` with the samples of another of its size, converted by `change`.
    @inline(__always)
    fileprivate func fill(from source: Planes.Plane, _ change: (UInt8) -> UInt8) {
        for row in 0..<height {
            let (from, to) = (source.base + row * source.stride, target + row * stride)
            for column in 0..<width { to[column] = change(from[column]) }
        }
    }
}
