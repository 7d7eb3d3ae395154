import Base
import Contract
import Core
import Glibc
import ZoomModel

@testable import Agent
@testable import State

/// The bytes of a state: as a file with slots, as what stands in a slot, so that what is in the document is
/// reached too, and as the state of a version with a journal.
func checkState(_ bytes: [UInt8]) {
    for document in SlotFile.contents(of: bytes).documents { checkDocument(document.bytes) }
    checkDocument(bytes)
    checkSlots(of: bytes.filter { $0 != 10 })
    checkEarlier(bytes)
    if let whole = EarlierState.document(in: bytes) { checkEarlier(whole) }
    // The disk is slow beside all this: it has one input in so many. Which, is for decided by the input, so
    // that a finding can be repeated.
    if Checksum.crc32(bytes) % 16 == 0 { checkFile(bytes) }
}

private func checkDocument(_ bytes: [UInt8]) {
    guard let tree = try? JSON(reading: bytes) else { return }
    let parts =
        [tree, tree.object?["state"] ?? .null] + (tree.object?["cameras"]?.object?.members.map(\.value) ?? [])
    for part in parts {
        if let camera = try? SavedCamera(part, .lenient) { check(camera) }
        if let agent = try? SavedAgent(part, .lenient) { check(agent) }
    }
}

private func encode(_ state: some Form) -> [UInt8] {
    guard let bytes = try? JSON.exactBytes(state) else { fatalError("a state can't be written") }
    return bytes
}

private func decode<State: Form>(_ document: [UInt8]) -> State? {
    JSON.value(State.self, from: document)
}

/// A line is read as it was written; with a byte changed or its end cut off it isn't taken as whole, and
/// the line before is.
private func checkSlots(of document: [UInt8]) {
    func padded(_ line: [UInt8]) -> [UInt8] { line + [UInt8](repeating: 10, count: 10) }
    let before = padded(SlotFile.line([], generation: 6))
    let line = SlotFile.line(document, generation: 7)
    let read = SlotFile.contents(of: before + padded(line))
    expect(
        read.documents.map(\.bytes) == [document, []] && read.tornSlots == 0, "a line isn't read as written")
    // The input decides the place and the value.
    let choice = Checksum.crc32(document)
    let place = Int(choice) % line.count
    var torn = line
    torn[place] ^= UInt8(truncatingIfNeeded: choice >> 24) | 1
    for line in [torn, Array(line.prefix(place))] {
        let found = SlotFile.contents(of: before + padded(line))
        expect(found.documents.map(\.bytes) == [[]], "a damaged line counts")
    }
}

/// What is left of the state of a version with a journal can be used.
private func checkEarlier(_ bytes: [UInt8]) {
    let states = withFolder { folder in
        var files = SavedFiles(folder)
        return files.states(of: EarlierState(document: bytes, hasAllChanges: true))
    }
    if let agent = states.agent { check(agent) }
    for camera in states.cameras.values { check(camera) }
}

/// An agent can go on from a state that was read: it counts on, and what it saves is read as the same.
private func check(_ agent: SavedAgent) {
    expect(decode(encode(agent)) == agent, "a state isn't read as it was written")
    expect(agent.boot >= 0 && agent.boot < .max, "the next start has no number")
    expect(agent.crashes >= 0 && agent.crashes < .max, "the next crash has no number")
}

private func check(_ camera: SavedCamera) {
    expect(decode(encode(camera)) == asWritten(camera), "a state isn't read as it was written")
    let zoom = camera[Node.Zoom.Saved.self]
    let numbers = [zoom.factor, zoom.centerX, zoom.centerY]
    expect(numbers.allSatisfy(\.isFinite), "a zoom that is no number")
    let photo = camera[Node.Capture.Saved.self].photoNumber
    expect(photo >= 0 && photo < .max, "the next photo has no number")
    let recording = camera[Node.Recording.Saved.self].number
    expect(recording >= 0 && recording < .max, "the next recording has no number")
    check(camera[Node.Session.Saved.self].session)
    let privacy = camera[Node.Privacy.Saved.self].privacy
    if let client = privacy?.client {
        expect((1...129).contains(client.utf8.count), "a client of \(client.utf8.count) bytes")
    }
    if let since = privacy?.since {
        expect(Timestamp.date(since) != nil, "the privacy was switched at no time")
    }
    for (name, preset) in camera[Node.Presets.Saved.self].presets { check(preset, name) }
    let first = camera.numbers
    expect(min(first.rev, first.photo, first.recording, first.crashes) >= 0, "a number below zero")
    let next = first.after(crashes: 1)
    expect(next.rev > first.rev && next.photo > first.photo, "the next change has no number")
}

/// The state with the middle of each preset rounded to a millionth: a preset is published and saved in the
/// same form.
private func asWritten(_ camera: SavedCamera) -> SavedCamera {
    var camera = camera
    for (name, preset) in camera[Node.Presets.Saved.self].presets {
        let center = Point(x: preset.center.x.forMessages, y: preset.center.y.forMessages)
        camera[Node.Presets.Saved.self].presets[name]?.center = center
    }
    return camera
}

/// What is restored and published is what a command could have set.
private func check(_ session: SavedSession?) {
    guard let session else { return }
    expect((1...64).contains(session.quality.utf8.count), "a quality of \(session.quality.utf8.count) bytes")
    expect(session.rate.map { $0 > 0 && $0.isFinite } ?? true, "\(session.rate ?? 0) frames per second")
}

private func check(_ preset: PresetFields, _ name: String) {
    expect((1...64).contains(name.utf8.count), "a preset with a name of \(name.utf8.count) bytes")
    expect(preset.factor > 0 && preset.factor.isFinite, "a preset of factor \(preset.factor)")
    for place in [preset.center.x, preset.center.y] {
        expect((0...1).contains(place), "the middle of a preset is at \(place)")
    }
    expect(
        preset.client.map { (1...129).contains($0.utf8.count) } ?? true, "a preset's client is out of bounds")
    for case .number(let number) in preset.controls.values {
        expect(number.isFinite, "a preset's control is no number")
    }
}

private let path = "/dev/shm/v4l2mqtt-fuzz-\(getpid())/state.json"

private func withFolder<Result>(_ body: (SlotFolder) -> Result) -> Result {
    guard let folder = try? SlotFolder(path) else { fatalError("no folder") }
    return body(folder)
}

/// A damaged file is set aside as it is; a newer one is left alone; of a whole one the newest state is taken.
private func checkFile(_ bytes: [UInt8]) {
    withFolder { folder in
        let file = folder.path(SavedFiles.camera("door"))
        do {
            try Files.makeFolder(Files.folder(of: file))
            try Files.write(bytes, to: file)
            var files = SavedFiles(folder)
            let found = try files.read(SavedFiles.camera("door"), as: SavedCamera.self)
            let names = try Files.names(in: Files.folder(of: file)).map { "\(Files.folder(of: file))/\($0)" }
            defer { for name in names { unlink(name) } }
            expect(names.count == 1 && (try? Files.read(names[0])) == bytes, "the evidence was changed")
            expect((found == nil) == (names[0] != file), "a file is taken and set aside")
            if let found {
                check(found.state)
                let version = try StoredVersion(JSON(reading: found.document.bytes), .lenient)
                expect(version.number <= StoredVersion.known, "a newer state is taken")
            } else {
                expect(!files.losses.isEmpty, "the damage isn't told")
            }
        } catch {
            guard case StateStoreError.newerVersion = error else { fatalError("\(error)") }
            expect((try? Files.read(file)) == bytes, "a newer program's file was changed")
            unlink(file)
        }
    }
}
