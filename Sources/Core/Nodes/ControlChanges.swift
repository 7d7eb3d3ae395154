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
        let request: Request
        let then: Completion
    }

    /// Changes that wait for the one under way, at most.
    static let maxWaiting = 16

    private let device: Device
    private var waiting: [Change] = []
    /// The request whose change the device makes.
    private var current: Request?

    /// The requests of all changes.
    var requests: [Request] { [current].compactMap(\.self) + waiting.map(\.request) }

    init(_ device: Device) { self.device = device }

    /// Adds a change of controls.
    ///
    /// - Parameter then: called once: with the controls as they were read back, or with the error of the
    ///   device; with `busy` if too many changes wait, at once or when the change makes room for one of
    ///   another client.
    func add(_ values: [String: Control.Value], for request: Request, then: @escaping Completion) {
        do throws(CommandError) {
            let place = try FairShare.place(
                for: request.owner, among: waiting.map(\.request.owner), atMost: Self.maxWaiting,
                else: "\(Self.maxWaiting) changes of controls wait already. Wait for their answers.")
            if let place { waiting.remove(at: place).then(.failure(.madeRoom("change of controls"))) }
        } catch {
            return then(.failure(error))
        }
        waiting.append(Change(values: values, request: request, then: then))
        startNext()
    }

    /// Forgets the changes that wait, without calling back: the camera stops, or its device is gone.
    func dropWaiting() { waiting = [] }

    private func startNext() {
        guard current == nil, !waiting.isEmpty else { return }
        let change = waiting.removeFirst()
        current = change.request
        device.setControls(change.values) { [weak self] result in
            guard let self else { return }
            current = nil
            change.then(result.mapError(device.commandError))
            startNext()
        }
    }
}
