/// A point in fractions of a width and a height; the origin is at the top left.
package struct Point: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    package static let middle = Point(x: 0.5, y: 0.5)

    /// The nearest point inside 0…1.
    var confined: Point { Point(x: min(max(x, 0), 1), y: min(max(y, 0), 1)) }
}

/// The part of the camera's frame that is shown, in fractions of the frame.
package struct Viewport: Sendable, Equatable {
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// The view in coordinates of the scene. The scene is the frame of the lens at factor 1, 0…1 in both
/// directions.
///
/// The scene does not change when the lens moves, so optical and digital zoom can be computed together: at
/// factor `f` the view is `1/f` of the scene, and the lens at factor `o` sees the middle `1/o` of it.
struct Framing: Equatable {
    /// The center of the view in the scene.
    var center = Point.middle

    /// The point of the scene that is seen at `anchor` in a view of this factor.
    func scenePoint(at anchor: Point, factor: Double) -> Point {
        Point(
            x: center.x + (anchor.x - 0.5) / factor,
            y: center.y + (anchor.y - 0.5) / factor)
    }

    /// Moves the view so that the point of `hold` is seen at its anchor, as far as the frame of the lens
    /// allows.
    mutating func keep(_ hold: PinnedPoint, factor: Double, optical: Double) {
        center = Point(
            x: hold.scene.x + (0.5 - hold.anchor.x) / factor,
            y: hold.scene.y + (0.5 - hold.anchor.y) / factor)
        confine(factor: factor, optical: optical)
    }

    /// Keeps the view inside the frame of the lens.
    mutating func confine(factor: Double, optical: Double) {
        let slack = max(0, (1 / optical - 1 / factor) / 2)
        center.x = min(max(center.x, 0.5 - slack), 0.5 + slack)
        center.y = min(max(center.y, 0.5 - slack), 0.5 + slack)
    }

    /// The view in fractions of the frame of the lens.
    func viewport(optical: Double, digital: Double) -> Viewport {
        let size = 1 / digital
        let left = (center.x - 0.5) * optical + 0.5 - size / 2
        let top = (center.y - 0.5) * optical + 0.5 - size / 2
        return Viewport(
            x: min(max(left, 0), 1 - size), y: min(max(top, 0), 1 - size), width: size, height: size)
    }
}

/// A point of the scene, and the place in the view where it has to stay.
struct PinnedPoint: Equatable {
    let scene: Point
    let anchor: Point
}
