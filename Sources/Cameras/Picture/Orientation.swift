/// One of the eight ways to turn and mirror a picture: first a number of quarter turns clockwise, then left
/// and right are exchanged, or not.
///
/// This is the only place that knows how the coordinates of a turned picture (those of the contract) become
/// those of the picture as the camera gives it.
package struct Orientation: Sendable, Hashable, CaseIterable {
    /// Quarter turns clockwise, 0…3.
    package let quarterTurns: Int
    /// Whether left and right are exchanged after the turns.
    package let isMirrored: Bool

    /// - Parameter quarterTurns: clockwise; any number.
    package init(quarterTurns: Int, isMirrored: Bool = false) {
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
        self.isMirrored = isMirrored
    }

    package static let upright = Orientation(quarterTurns: 0)
    /// Turned by 180 degrees.
    package static let halfTurn = Orientation(quarterTurns: 2)
    /// Left and right are exchanged.
    package static let mirrored = Orientation(quarterTurns: 0, isMirrored: true)
    /// Top and bottom are exchanged.
    static let flipped = Orientation(quarterTurns: 2, isMirrored: true)

    package static let allCases = [false, true].flatMap { isMirrored in
        (0..<4).map { Orientation(quarterTurns: $0, isMirrored: isMirrored) }
    }

    /// Whether width and height are exchanged.
    package var swapsSides: Bool { !quarterTurns.isMultiple(of: 2) }

    /// The orientation that undoes this one.
    package var inverse: Orientation {
        // A reflection undoes itself.
        isMirrored ? self : Orientation(quarterTurns: -quarterTurns)
    }

    /// This orientation, and then another one.
    package func then(_ next: Orientation) -> Orientation {
        Orientation(
            quarterTurns: quarterTurns + (isMirrored ? -next.quarterTurns : next.quarterTurns),
            isMirrored: isMirrored != next.isMirrored)
    }

    /// Where a point of the picture is afterwards; both in fractions of width and height.
    func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        var (x, y) = (x, y)
        for _ in 0..<quarterTurns { (x, y) = (1 - y, x) }
        return (isMirrored ? 1 - x : x, y)
    }

    /// Which way a direction of the picture points afterwards; `x` to the right, `y` down.
    package func direction(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        var (x, y) = (x, y)
        for _ in 0..<quarterTurns { (x, y) = (-y, x) }
        return (isMirrored ? -x : x, y)
    }

    /// Where a part of the picture is afterwards.
    package func region(_ region: Region) -> Region {
        let first = point(region.x, region.y)
        let last = point(region.x + region.width, region.y + region.height)
        return Region(
            x: min(first.x, last.x), y: min(first.y, last.y),
            width: swapsSides ? region.height : region.width,
            height: swapsSides ? region.width : region.height)
    }

    /// The sides of a picture afterwards.
    package func size(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
        swapsSides ? (height, width) : (width, height)
    }
}
