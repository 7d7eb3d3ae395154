internal import Contract
internal import Settings

extension RemoteButton {
    /// The phases of a press that a payload stands for, in order. Empty: it is no press. The sender needs no
    /// knowledge of cameras.
    func commands(in payload: [UInt8]) -> [any CommandForm] {
        phases(in: payload).map {
            CaptureCommand.press(PressSet($0, role, isRemote: isRemote))
        }
    }

    private func phases(in payload: [UInt8]) -> [PressSet.Phase] {
        guard let word = RemoteWord(in: payload, field: field)?.text else { return [] }
        if press.contains(word) { return [.began, .ended] }
        if began.contains(word) { return [.began] }
        if ended.contains(word) { return [.ended] }
        return cancelled.contains(word) ? [.cancelled] : []
    }
}
