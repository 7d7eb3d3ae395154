internal import Contract

/// `spot`: whether users have marked the camera as the one to watch.
final class SpotNode: StateNode<Node.Spot>, CommandNode {
    func handle(_ command: SpotSet, _ request: Request) {
        saved.isOn = command.isOn
        context.saveState()
        update()
        context.reply(.done, to: request)
    }

    override var state: SpotState? { SpotState(isOn: saved.isOn) }
}
