internal import Cameras
internal import Contract

/// The changes of controls that clients requested, in the order of the requests.
///
/// The device gets one at a time. The others wait here, where clients have equal shares, and not at the
/// device, which does not know them. They are made in the order of the requests, so that the newest value
/// remains.
final class ControlChanges {
    typealias Completion = (Result<[Control], CommandError>) -> Void

    private struct Change {
        let values: [String: Control.Value]
        let owner: FairShare.Owner
        let then: Completion
    }

    /// Changes that wait for the one under way, at most.
    static let maxWaiting = 16

    private let device: Device
    private var waiting: [Change] = []
    /// The device makes a change.
    private var isBusy = false

    init(_ device: Device) { self.device = device }

    /// Adds a change of controls.
    ///
    /// - Parameter then: called once: with the controls as they were read back, or with the error of the
    ///   device; with `busy` if too many changes wait, at once or when the change makes room for one of
    ///   another client.
    func add(_ values: [String: Control.Value], of owner: FairShare.Owner, then: @escaping Completion) {
        if waiting.count >= Self.maxWaiting {
            guard let place = FairShare.placeToFree(waiting.map(\.owner), for: owner) else {
                return then(.failure(Self.full))
            }
            waiting.remove(at: place).then(.failure(Self.madeRoom))
        }
        waiting.append(Change(values: values, owner: owner, then: then))
        startNext()
    }

    /// Forgets the changes that wait, without calling back: the camera stops, or its device is gone.
    func dropWaiting() { waiting = [] }

    private func startNext() {
        guard !isBusy, !waiting.isEmpty else { return }
        let change = waiting.removeFirst()
        isBusy = true
        device.setControls(change.values) { [weak self] result in
            guard let self else { return }
            isBusy = false
            change.then(result.mapError(device.commandError))
            startNext()
        }
    }

    private static let full = CommandError(
        .busy, "\(maxWaiting) changes of controls wait already. Wait for their answers.")
    private static let madeRoom = CommandError(
        .busy, "The change of controls made room for one of another client.")
}
