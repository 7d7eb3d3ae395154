/// A command as a controller writes it: the fields that it has, the others nil.
package struct CommandFields: Sendable, Encodable {
    package struct Point: Sendable, Encodable {
        package var x: Double
        package var y: Double
        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    package struct Move: Sendable, Encodable {
        package var velocity: Double
        package var timeout_ms: Int
        package init(velocity: Double, timeoutMilliseconds: Int) {
            (self.velocity, timeout_ms) = (velocity, timeoutMilliseconds)
        }
    }

    package struct Size: Sendable, Encodable {
        package var width: Int?
        package var height: Int?
        package init(width: Int?, height: Int?) { (self.width, self.height) = (width, height) }
    }

    package struct Goal: Sendable, Encodable {
        package var factor: Double
        package init(factor: Double) { self.factor = factor }
    }

    // Every command.
    package var id: String?
    package var client: String?
    // zoom/set
    package var factor: Double?
    package var position: Double?
    package var by: Double?
    package var rate: Double?
    package var anchor: Point?
    package var move: Move?
    package var stop: Bool?
    // pinch/set
    package var gesture: String?
    package var phase: String?
    package var scale: Double?
    package var seq: Int?
    // capture/set
    package var quality: Int?
    package var size: Size?
    package var count: Int?
    package var zoom: Goal?
    package var reply: String?

    package init() {}
}
