internal import Contract

/// Stores a camera's state, and calls back those that wait for it.
final class StateSaves {
    /// Nil: nothing is stored any more. Its completions refer to this object.
    private var storage: (any CameraStorage)?
    private let camera: String
    /// Submits the newest state. One is on its way to the disk at a time, and of further ones only the newest
    /// is kept, until then: a disk may hang for minutes.
    private var held: (() -> Void)?
    private var isSaving = false
    /// Why the last state that was submitted isn't stored; nil: it is.
    private var error: CommandError?
    private var isAbandoned = false
    /// Those that wait for the state under way, and those that wait for the one that is held.
    private var waiting: [(CommandError?) -> Void] = []
    private var waitingForHeld: [(CommandError?) -> Void] = []

    /// Whether the last report was a failure. The storage may have stored the state since.
    var hasFailed: Bool { error != nil }

    /// Called with the numbers of a state that no power cut can bring back.
    var synced: (CameraNumbers) -> Void = { _ in }

    init(_ storage: any CameraStorage, camera: String) { (self.storage, self.camera) = (storage, camera) }

    func save(_ state: SavedCamera) {
        if isSaving { held = { [weak self] in self?.submit(state) } } else { submit(state) }
    }

    private func submit(_ state: SavedCamera) {
        let numbers = state.numbers
        isSaving = true
        storage?.save(state, of: camera) { [self] in
            completed($0)
        } synced: { [self] in
            synced(numbers)
        }
    }

    /// Calls back once, when every state that was submitted is stored or can't be; immediately with an error
    /// if too many wait already.
    func whenSaved(_ then: @escaping (CommandError?) -> Void) {
        if isAbandoned { return then(.notStored) }
        guard isSaving, let storage else { return then(error) }
        guard storage.waitingAnswers.add() else { return then(.tooManyWait) }
        if held == nil { waiting.append(then) } else { waitingForHeld.append(then) }
    }

    private func completed(_ error: CommandError?) {
        (self.error, isSaving) = (error, false)
        let due = waiting
        (waiting, waitingForHeld) = (waitingForHeld, [])
        submitHeld()
        call(due, error)
    }

    private func submitHeld() {
        let submit = held
        held = nil
        submit?()
    }

    /// Calls back all that wait, as if their states couldn't be stored: the agent stops. The newest state is
    /// submitted, so that the last one on the disk has it.
    func abandon() {
        isAbandoned = isSaving
        submitHeld()
        call(waiting.takeAll() + waitingForHeld.takeAll(), .notStored)
        storage = nil
    }

    private func call(_ waiting: [(CommandError?) -> Void], _ error: CommandError?) {
        for then in waiting {
            storage?.waitingAnswers.remove()
            then(error)
        }
    }
}

extension CommandError {
    /// The disk is too slow for a state to be stored before the agent ends.
    fileprivate static let notStored = CommandError(
        .storageFull, "The state isn't stored yet: the disk is slow, and the agent is stopping.")
    /// The disk hangs.
    fileprivate static let tooManyWait = CommandError(
        .storageFull, "The state isn't stored yet: the disk is slow, and \(WaitingAnswers.max) answers wait.")
}
