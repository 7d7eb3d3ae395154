import Cameras
import Contract

extension BackendConformance {
    /// Random calls, and `close()` at a random moment: from outside, or from inside an answer.
    func random(_ observer: BackendObserver, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...25, using: &random) where observer.life == .open {
            call(observer, &random)
            if Int.random(in: 0..<12, using: &random) == 0 { observer.closesInNextAnswer = true }
        }
        if observer.life == .open && Bool.random(using: &random) {
            try wait(observer, for: "the answers to all calls") {
                !observer.hasPending || observer.life != .open
            }
        }
        if observer.life == .open { observer.close() }
        callEverything(observer)
    }

    private func call(_ observer: BackendObserver, _ random: inout SeededGenerator) {
        let camera = observer.camera
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2:
            let wait = Int.random(in: -20...60, using: &random)
            observer.frame(after: subject.now() + .milliseconds(wait))
        case 3, 4:
            var values: [String: Control.Value] = [:]
            for control in camera.controls.settable.prefix(4) where Bool.random(using: &random) {
                values[control.name] = control.ends.randomElement(using: &random)
            }
            observer.setControls(values)
        case 5:
            let modes = camera.smallModes + [.impossible]
            if let mode = modes.randomElement(using: &random) { observer.setMode(mode) }
        case 6 where camera.description.opticalMax > 1:
            // One request at a time.
            guard observer.lens != .requested && observer.lens != .stopping else { return }
            observer.driveLens(to: .random(in: 1...camera.description.opticalMax, using: &random))
        case 7 where camera.description.opticalMax > 1:
            if observer.lens != .stopping { observer.stopLens() }
        default:
            let answers = observer.answers + 1
            let end = subject.now() + .milliseconds(Int.random(in: 0...30, using: &random))
            _ = subject.letTimePass { observer.answers >= answers || subject.now() >= end }
        }
    }
}

extension CameraMode {
    static let impossible = CameraMode(pixelFormat: "none", width: 3, height: 3, rate: 1)
}

extension CameraBackend {
    /// A few modes of the present pixel format that need little memory, the present one at the end.
    var smallModes: [CameraMode] {
        let formats = description.formats.filter {
            $0.pixelFormat == mode.pixelFormat && $0.range == nil && $0.width <= 1280
                && ($0.width, $0.height) != (mode.width, mode.height)
        }
        return formats.prefix(2).map { format in
            CameraMode(
                pixelFormat: format.pixelFormat, width: format.width, height: format.height,
                rate: format.rate(nearestTo: mode.rate).rate)
        } + [mode]
    }
}

extension Control {
    var isNumber: Bool {
        switch kind {
        case .slider, .discrete: true
        case .picker, .toggle, .button, .text: false
        }
    }

    /// Values that a slider can have.
    var ends: [Value] {
        guard case .slider(let min, let max, _) = kind else { return [] }
        return [max, min].compactMap { nearest(to: .number($0))?.value }
    }
}

extension [Control] {
    /// Sliders: of the other kinds, a device may have some that disconnect it or disable others.
    var settable: [Control] {
        filter { control in
            if case .slider = control.kind { control.disabledBecause == nil } else { false }
        }
    }
}
