import ZoomModel

/// Holds a model for tests: `#expect` takes no part of a value that is not copyable.
final class HeldModel {
    var zoom: ZoomModel

    init(_ zoom: consuming ZoomModel) { self.zoom = zoom }

    var snapshot: ZoomState { zoom.snapshot }
    var settings: ZoomModel.Settings { zoom.settings }
    var factor: Double { zoom.factor }
    var center: Point { zoom.center }
    var isSettled: Bool { zoom.isSettled }
    var wake: ZoomInstant? { zoom.wake }
    var runningGesture: RunningGesture? { zoom.runningGesture }
    var runningTouch: RunningGesture? { zoom.runningTouch }
    var awaitedIsClamped: Bool { zoom.awaitedIsClamped }
    func awaits(_ ticket: Ticket) -> Bool { zoom.awaits(ticket) }
    func setAspect(_ aspect: Double) { zoom.setAspect(aspect) }
}
