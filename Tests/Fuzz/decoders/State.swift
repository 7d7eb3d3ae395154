import Base
import Contract
import Core
import Glibc
import ZoomModel

@testable import Agent
@testable import State

/// The bytes of a state file: as they are, and behind a checksum that is right, so that what is in the
/// document is reached too.
func checkState(_ bytes: [UInt8]) {
    checkChecksummedDocument(of: bytes)
    let whole = (try? ChecksummedDocument.unwrap(bytes)).flatMap { decode($0) }
    if let state = whole ?? decode(bytes[...]) { check(state) }
    mergePatch(bytes)
    // The disk is slow beside all this: it has one input in so many, and all that are whole. Which, is for
    // decided by the input, so that a finding can be repeated.
    let choice = Checksum.crc32(bytes)
    if choice % 16 == 0 || whole != nil {
        open(bytes, expecting: whole, previous: choice & 16 == 0 ? earlier : nil)
    }
}

private let earlier: SavedState = {
    var state = SavedState()
    state.boot = 41
    state.cameras["door"] = SavedCamera()
    return state
}()

func decode(_ document: ArraySlice<UInt8>) -> SavedState? {
    try? JSON(reading: Array(document)).decoded()
}

private func encode(_ state: SavedState) -> [UInt8] {
    guard let bytes = try? JSON.exactBytes(state) else { fatalError("a state can't be written") }
    return bytes
}

/// What is wrapped is unwrapped the same; with a byte changed or its end cut off it isn't taken as whole.
private func checkChecksummedDocument(of document: [UInt8]) {
    let wrapped = ChecksummedDocument.wrap(document)
    guard let unwrapped = try? ChecksummedDocument.unwrap(wrapped), unwrapped.elementsEqual(document) else {
        fatalError("an envelope isn't read as it was written")
    }
    // The input decides the place and the value.
    let choice = Checksum.crc32(document)
    let place = Int(choice) % wrapped.count
    var torn = wrapped
    torn[place] ^= UInt8(truncatingIfNeeded: choice >> 24) | 1
    expectRefused(torn)
    expectRefused(Array(wrapped.prefix(place)))
}

/// A line of the journal is read as it was written, and any patch leads to a state that can be used, or to
/// none.
private func mergePatch(_ bytes: [UInt8]) {
    guard let patch = JSON(bytes) else { return }
    let start = JournalPosition(generation: 3, chain: 0xABCD)
    var (written, end) = (start, start)
    let line = JournalLine.encode(patch, at: &written)
    let read = JournalLine.decode(line[...], at: &end)
    expect(read.map(whole) == whole(patch) && end == written, "a line isn't read as written")
    var (torn, position) = (line, start)
    torn[Int(Checksum.crc32(bytes)) % (line.count - 1)] ^= 1
    expect(JournalLine.decode(torn[...], at: &position) == nil, "a damaged line counts")
    guard var tree = try? JSON(encoding: earlier) else { fatalError("a state can't be a tree") }
    tree.merge(patch)
    if let state: SavedState = try? tree.decoded() { check(state) }
}

/// A value in which whole numbers have one form: 1e2 is written as 100.
private func whole(_ value: JSON) -> JSON {
    switch value {
    case .number(let number): Int(exactly: number).map(JSON.integer) ?? value
    case .list(let elements): .list(elements.map(whole))
    case .object(let object):
        .object(object.members.reduce(into: JSONObject()) { $0[$1.name] = whole($1.value) })
    case .null, .flag, .integer, .text: value
    }
}

private func expectRefused(_ bytes: [UInt8]) {
    do throws(ChecksummedDocument.Refusal) {
        _ = try ChecksummedDocument.unwrap(bytes)
        fatalError("a damaged file is taken as whole: \(String(decoding: bytes, as: UTF8.self))")
    } catch {
        switch error {
        case .damaged(let reason): expect(!reason.isEmpty, "the damage has no reason")
        case .newer(let version):
            expect(version > ChecksummedDocument.version, "version \(version) is no newer one")
        }
    }
}

/// An agent can go on from a state that was read: it counts on, and what it saves is read as the same.
private func check(_ state: SavedState) {
    expect(decode(encode(state)[...]) == asWritten(state), "a state isn't read as it was written")
    expect(state.boot >= 0 && state.boot < .max, "the next start has no number")
    for camera in state.cameras.values {
        let numbers = [camera.factor, camera.centerX, camera.centerY]
        expect(numbers.allSatisfy(\.isFinite), "a zoom that is no number")
        expect(camera.photoNumber >= 0 && camera.photoNumber < .max, "the next photo has no number")
        let recording = camera.recordingNumber
        expect(recording >= 0 && recording < .max, "the next recording has no number")
        check(camera.session)
        if let client = camera.privacy?.client {
            expect((1...129).contains(client.utf8.count), "a client of \(client.utf8.count) bytes")
        }
        if let since = camera.privacy?.since {
            expect(Timestamp.date(since) != nil, "the privacy was switched at no time")
        }
        for (name, preset) in camera.presets { check(preset, name) }
        expect(camera.revReserve >= 0, "a change has a number below zero")
        // As at a start: one block, and another for a run that ends before it has counted.
        var next = camera
        next.reserveNumbers()
        var revisions = next.revisions
        expect(revisions.next() > camera.revReserve, "the next change has no number")
    }
}

/// The state with the middle of each preset rounded to a millionth: a preset is published and saved in the
/// same form.
private func asWritten(_ state: SavedState) -> SavedState {
    var state = state
    for (id, camera) in state.cameras {
        for (name, preset) in camera.presets {
            let center = Point(x: preset.center.x.forMessages, y: preset.center.y.forMessages)
            state.cameras[id]?.presets[name]?.center = center
        }
    }
    return state
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

private let folder = "/dev/shm/v4l2mqtt-fuzz-\(getpid())"

/// A damaged file is set aside as it is, and the generation before takes its place; a newer one is left
/// alone; a whole one is loaded.
private func open(_ bytes: [UInt8], expecting whole: SavedState?, previous: SavedState?) {
    let path = folder + "/state.json"
    mkdir(folder, 0o700)
    defer {
        for name in ["", ".lock", ".previous", ".new"] { unlink(path + name) }
        rmdir(folder)
    }
    do throws(StateStoreError) {
        try onDisk { () throws(FileError) in
            try Files.write(bytes, to: path)
            guard let previous else { return }
            try Files.write(ChecksummedDocument.wrap(encode(previous)), to: path + ".previous")
        }
        let found = try StateFile<SavedState>.open(path).found
        expect(found.document == whole ?? previous, "the state isn't that of the newest whole file")
        expect(found.damaged.count == (whole == nil ? 1 : 0), "the damage isn't told")
        for damaged in found.damaged {
            expect(!damaged.reason.isEmpty, "the damage has no reason")
            expect((try? Files.read(damaged.setAsideAs)) == bytes, "the evidence was changed")
            unlink(damaged.setAsideAs)
        }
    } catch {
        guard case .newerVersion = error else { fatalError("\(error)") }
        expect((try? Files.read(path)) == bytes, "a newer program's file was changed")
    }
}
