internal import Contract
internal import ZoomModel

// Messages and the zoom model don't know each other; here the values of one become those of the other.

extension ZoomSet {
    var forModel: ZoomCommand {
        switch action {
        case .go(let goal): goal.forModel
        case .move(let velocity, let timeout): .move(velocity: velocity, timeout: .milliseconds(timeout))
        case .stop: .stop
        }
    }
}

extension ZoomGoal {
    var forModel: ZoomCommand {
        let to: ZoomCommand.Target =
            switch target {
            case .factor(let factor): .factor(factor)
            case .position(let position): .position(position)
            case .by(let multiple): .by(multiple)
            }
        return .go(to: to, rate: rate, anchor: anchor?.forModel)
    }
}

extension PinchSet {
    var forModel: PinchSample {
        let phase: PinchSample.Phase =
            switch self.phase {
            case .began: .began
            case .changed: .changed
            case .ended: .ended
            case .cancelled: .cancelled(revert: revert)
            }
        return PinchSample(
            gesture: gesture, phase: phase, scale: scale, sequence: sequence,
            mode: mode == .cumulative ? .cumulative : .incremental, anchor: anchor?.forModel)
    }
}

extension TouchSet {
    var forModel: TouchSample {
        TouchSample(
            gesture: gesture, sequence: sequence,
            touches: touches.map { Touch(finger: $0.id, place: $0.place.forModel, phase: $0.phase.forModel) })
    }
}

extension TouchSet.Phase {
    var forModel: Touch.Phase {
        switch self {
        case .began: .began
        case .moved: .moved
        case .ended: .ended
        case .cancelled: .cancelled
        }
    }
}

extension ViewportSet {
    var forModel: ZoomCommand {
        switch self {
        case .center(let place): .moveView(.at(place.forModel))
        case .by(let x, let y): .moveView(.by(x: x, y: y))
        }
    }
}

extension Anchor {
    var forModel: Point { Point(x: x, y: y) }
}

extension Viewport {
    var forMessages: ViewportField { ViewportField(x: x, y: y, width: width, height: height) }
}

extension Origin {
    var forMessages: OriginField { OriginField(client: client, id: id, kind: kind.rawValue) }
}
