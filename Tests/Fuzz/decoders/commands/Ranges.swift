import Contract
import ZoomModel

/// What `schemas/README.md` and the schemas promise of the values of each command.
func check(_ body: any CommandForm) {
    switch body {
    case let command as ZoomCommand:
        switch command {
        case .go(let goal): check(goal)
        case .move(let velocity, let timeout):
            expect(velocity.isFinite, "a velocity is no number")
            expect((.milliseconds(1) ... .seconds(10)).contains(timeout), "a time-out is out of range")
        case .stop: break
        case .show, .moveView: expect(false, "a command that zoom/set doesn't have")
        }
    case let command as PinchSample:
        check(name: command.gesture)
        check(positive: command.scale)
        expect(command.phase != .changed || command.scale != nil, "a pinch changed by nothing")
        expect(!command.revert || command.phase == .cancelled, "a pinch is taken back while it goes on")
        expect(command.sequence.map { $0 >= 0 } ?? true, "seq is below zero")
        check(command.anchor)
    case let command as TouchSample:
        check(name: command.gesture)
        expect(command.sequence.map { $0 >= 0 } ?? true, "seq is below zero")
        expect((1...10).contains(command.touches.count), "\(command.touches.count) fingers")
        for finger in command.touches {
            check(name: finger.finger)
            check(finger.place)
        }
    case ZoomCommand.ViewMove.at(let point): check(point)
    case ZoomCommand.ViewMove.by(let x, let y): expect(x.isFinite && y.isFinite, "a step is no number")
    case CaptureCommand.photos(let command): check(command)
    case CaptureCommand.press(let command):
        check(command.photo)
        var plain = CaptureSet()
        (plain.quality, plain.width, plain.height) = (
            command.photo.quality, command.photo.width, command.photo.height
        )
        plain.reply = command.photo.reply
        expect(command.photo == plain, "a press decides more than the form of its photo")
        expect(
            command.phase == .ended || command.photo == CaptureSet(), "a press that goes on has a photo")
    case CaptureCommand.stop(let command):
        expect(command.capture.map { (1...64).contains($0.utf8.count) } ?? true, "an id is out of bounds")
    case RecordingSet.on(let options):
        expect(options.maximumSeconds.map { (1...86_400).contains($0) } ?? true, "a recording without end")
        expect(options.quality.map { (1...100).contains($0) } ?? true, "no quality of a recording")
        expect(
            options.maximumBitRate.map { (50_000...200_000_000).contains($0) } ?? true,
            "no bit rate of a recording")
        expect(
            options.keyFrameSeconds.map { (0.1...60).contains($0) } ?? true, "no interval of key frames")
    case let command as SessionSet:
        check(qualities: command.qualities)
        check(positive: command.rate)
        command.controls.map(check)
        command.zoom.map(check)
        expect(
            !command.qualities.isEmpty || command.rate != nil || command.controls != nil
                || command.zoom != nil, "a session of nothing")
    case let command as ControlsSet: check(command)
    case PresetsSet.save(let preset), PresetsSet.delete(let preset): check(name: preset)
    case PresetsSet.go(let preset, let rate):
        check(name: preset)
        check(positive: rate)
    case PreviewSet.lease(let options):
        expect((0.1...60).contains(options.rate), "\(options.rate) frames per second")
        expect((16...4_096).contains(options.width), "\(options.width) pixels")
        expect((1...3_600).contains(options.seconds), "a lease of \(options.seconds) s")
    case LeaseSet.take(let milliseconds, _):
        expect((100...3_600_000).contains(milliseconds), "a lease of \(milliseconds) ms")
    case let cancel as Envelope.Cancel: check(name: cancel.id)
    case let command as MediaSet: check(command)
    case let command as DesiredSet:
        expect(command.version >= 1, "a version below 1")
        expect(command.group.map { Topics.isName($0) } ?? true, "a group that is no name")
        if let goal = command.zoom {
            check(goal)
            if case .by = goal.target { expect(false, "a step is desired") }
        }
        command.controls.map(check)
        guard let session = command.session else { return }
        check(qualities: session.qualities)
        check(positive: session.rate)
        expect(!session.qualities.isEmpty || session.rate != nil, "a session of nothing is desired")
    default: break
    }
}

private func check(_ goal: ZoomGoal) {
    switch goal.target {
    case .factor(let number), .by(let number): check(positive: number)
    case .position(let number): expect(number.isFinite, "a position is no number")
    }
    check(positive: goal.rate)
    check(goal.anchor)
}

private func check(_ command: MediaSet) {
    switch command {
    case .list(let page):
        expect((1...100).contains(page.limit), "a page of \(page.limit) files")
        page.before.map(check(file:))
    case .describe(let name), .delete(let name): check(file: name)
    case .get(let part):
        check(file: part.name)
        expect(part.offset >= 0, "a part before the file")
        expect((1...MediaSet.longestPart).contains(part.length), "a part of \(part.length) bytes")
        expect(part.version.map { (1...64).contains($0.utf8.count) } ?? true, "a version is out of bounds")
    }
}

/// A name that stays in its folder, and shows as it is.
private func check(file name: String) {
    expect((1...255).contains(name.utf8.count), "a name of \(name.utf8.count) bytes")
    expect(!name.hasPrefix(".") && !name.contains("/"), "\(name) leaves its folder")
    expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a name that can't be printed")
}

private func check(_ photo: CaptureSet) {
    let ranges = [
        (photo.quality, 1...100), (photo.width, 1...16_384), (photo.height, 1...16_384),
        (photo.count, 1...100),
        (photo.intervalMilliseconds, 0...3_600_000), (photo.maximumAgeMilliseconds, 0...3_600_000),
    ]
    for (number, range) in ranges {
        expect(number.map(range.contains) ?? true, "\(number ?? 0) is outside of \(range)")
    }
    expect(
        photo.zoom == nil || photo.maximumAgeMilliseconds == nil,
        "a photo from before is to show the zoom after")
    photo.zoom.map(check)
}

private func check(_ controls: ControlsSet) {
    expect(!controls.values.isEmpty, "nothing is to be set")
    for value in controls.values.values {
        switch value {
        case .number(let number): expect(number.isFinite, "a control's value is no number")
        case .flag: break
        case .text: expect(false, "a text is to be set, which can only be shown")
        }
    }
}

private func check(_ anchor: Point?) {
    guard let anchor else { return }
    // Fingers may leave the view: the model clamps what is outside.
    expect(anchor.x.isFinite && anchor.y.isFinite, "a point is no number")
}

private func check(qualities: [String]) {
    expect(qualities.count <= 16, "\(qualities.count) qualities")
    for quality in qualities { check(name: quality) }
}

private func check(positive number: Double?) {
    expect(number.map { $0 > 0 && $0.isFinite } ?? true, "\(number ?? 0) isn't above 0")
}

private func check(name: String) {
    expect((1...64).contains(name.utf8.count), "a name of \(name.utf8.count) bytes")
}
