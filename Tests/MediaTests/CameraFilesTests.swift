import Base
import Core
import Glibc
import TestSupport
import Testing

@testable import Contract
@testable import Media
@testable import Settings

/// The files of a camera as clients see them.
@Suite(.timeLimit(.minutes(10))) struct CameraFilesTests {
    let folder = TemporaryFolder()
    let open: RecordingFolder
    let files: CameraFiles

    init() {
        let photos = FolderSettings(directory: folder.file("captures"), maximumBytes: 1 << 30)
        let recordings = FolderSettings(directory: folder.file("recordings"), maximumBytes: 1 << 30)
        open = RecordingFolder(recordings, cameras: ["door"])
        files = CameraFiles(photos: photos, recordings: recordings, open: open, camera: "door")
    }

    private func photo(_ number: Int, second: Int? = nil) -> String {
        let second = second ?? number
        return "door-20261121T0905\(second < 10 ? "0" : "")\(second).958Z-00000\(number).jpg"
    }

    private let movie = "door-20261121T090530.000Z-000001.mp4"

    private func make(_ name: String, in kind: String = "captures", camera: String = "door", bytes: Int)
        throws
    {
        try folder.make("\(kind)/\(camera)/\(name)", bytes: bytes)
    }

    private func page(
        limit: Int = 20, kind: MediaKind? = nil, before: String? = nil
    ) throws -> (names: [String], next: String?) {
        var page = MediaSet.Page()
        (page.limit, page.kind, page.before) = (limit, kind, before)
        let result = try files.list(page)
        return (result.files.map(\.name), result.next)
    }

    private func error<Value>(_ body: () throws(CommandError) -> Value) -> CommandError? {
        do throws(CommandError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: Lists

    @Test func withoutFoldersThereAreNoFiles() throws {
        #expect(try files.count() == MediaState())
        #expect(try page().names.isEmpty && page().next == nil)
        #expect(error { () throws(CommandError) in try files.describe(photo(1)) }?.code == .badPayload)
    }

    @Test func theNewestAreFirst() throws {
        for number in [3, 1, 2] { try make(photo(number), bytes: number) }
        try make(movie, in: "recordings", bytes: 50)
        #expect(try page().names == [movie, photo(3), photo(2), photo(1)])
        #expect(try page(kind: .photo).names == [photo(3), photo(2), photo(1)])
        #expect(try page(kind: .recording).names == [movie])
        let count = try files.count()
        #expect(count.photos == .init(count: 3, bytes: 6) && count.recordings == .init(count: 1, bytes: 50))
        #expect(count.newest == movie)
        let first = try files.list(.init()).files[1]
        #expect(
            first
                == MediaFields(
                    name: photo(3), kind: .photo, contentType: "image/jpeg", bytes: 3,
                    createdAt: "2026-11-21T09:05:03.958Z"))
    }

    @Test func pagesMeetWithoutGapsAndRepetitions() throws {
        for number in 1...7 { try make(photo(number), bytes: 1) }
        try make(movie, in: "recordings", bytes: 1)
        var (found, next): ([String], String?) = ([], nil)
        repeat {
            let page = try page(limit: 3, before: next)
            found += page.names
            next = page.next
            // What comes or goes meanwhile moves no page.
            if found.count == 3 {
                try make(photo(8, second: 59), bytes: 1)
                try files.delete(found[2])
            }
        } while next != nil
        #expect(found == [movie] + (1...7).reversed().map { photo($0) })
    }

    @Test func theLastPageHasNoNext() throws {
        for number in 1...3 { try make(photo(number), bytes: 1) }
        #expect(try page(limit: 3).next == nil && page(limit: 2).next == photo(2))
        #expect(try page(before: photo(1)).names.isEmpty)
    }

    /// Names of other cameras and programs, unfinished files, folders, links and pipes.
    @Test func whatIsNoFileOfTheCameraIsLeftOut() throws {
        let others = [
            "garden.jpg", "door.jpg", "door-20261121T090501.958Z-000001.jpg.part", "door-x-1.jpg",
            "yard-20261121T090501.958Z-000001.jpg", "door-20261121T090501.958Z-000001.png",
            "door-20261121T090501.958-000001.jpg", "door-20261121T090501.958Z-1.jpg",
            "door-20261121T090501.958Z-00000a.jpg", "door-20261121T090501.958Z-000001-.jpg",
            "door-2026_121T090501.958Z-000001.jpg", ".door-20261121T090501.958Z-000001.jpg",
        ]
        for name in others { try make(name, bytes: 5) }
        let foreign = folder.write("secret", to: "foreign")
        folder.link("captures/door/\(photo(2))", to: foreign)
        mkdir(folder.file("captures/door/\(photo(3))"), 0o750)
        mkfifo(folder.file("captures/door/\(photo(4))"), 0o640)
        // A photo among recordings, and a recording among photos.
        try make(photo(5), in: "recordings", bytes: 1)
        try make(movie, bytes: 1)
        #expect(try page().names.isEmpty && files.count() == MediaState())
        for name in others + [photo(2), photo(3), photo(4), photo(5), movie] {
            #expect(
                error { () throws(CommandError) in try files.describe(name) }?.code == .badPayload, "\(name)")
            let read = error { () throws(CommandError) in try files.read(.init(name: name)) }
            #expect(read?.code == .badPayload && read?.field == "get", "\(name)")
            #expect(
                error { () throws(CommandError) in try files.delete(name) }?.code == .badPayload, "\(name)")
        }
        #expect(folder.names(in: "captures/door").count == others.count + 4)
        #expect(size(foreign) == 6)
    }

    /// A path is no name, whatever exists.
    @Test func noNameLeavesTheFolder() throws {
        try make(photo(1), camera: "yard", bytes: 5)
        try make(photo(1), bytes: 5)
        let names = [
            "../yard/\(photo(1))", "../door/\(photo(1))", "./\(photo(1))", "/etc/passwd", "..", ".", "",
            folder.file("captures/door/\(photo(1))"), "door-20261121T090501.958Z-000001/../\(photo(1))",
        ]
        for name in names {
            #expect(
                error { () throws(CommandError) in try files.read(.init(name: name)) }?.code == .badPayload)
            #expect(error { () throws(CommandError) in try files.delete(name) }?.code == .badPayload)
        }
        #expect(folder.names(in: "captures/door") == [photo(1)])
    }

    @Test func aLinkInPlaceOfTheFolderIsNotFollowed() throws {
        try make(photo(1), camera: "elsewhere", bytes: 5)
        folder.link("captures/door", to: folder.file("captures/elsewhere"))
        #expect(error { () throws(CommandError) in try files.count() }?.code == .device)
        #expect(error { () throws(CommandError) in try files.read(.init(name: photo(1))) }?.code == .device)
        #expect(error { () throws(CommandError) in try files.delete(photo(1)) }?.code == .device)
        #expect(folder.names(in: "captures/elsewhere") == [photo(1)])
    }

    // MARK: One file

    private func content(_ name: String, part: Int) throws -> (bytes: [UInt8], version: String) {
        var (bytes, version): ([UInt8], String?) = ([], nil)
        while true {
            var wanted = MediaSet.Part(name: name)
            (wanted.offset, wanted.length, wanted.version) = (bytes.count, part, version)
            let part = try files.read(wanted)
            #expect(part.fields.offset == bytes.count && part.fields.name == name)
            bytes += part.bytes
            version = part.fields.version
            if bytes.count == part.fields.total { return (bytes, part.fields.version) }
        }
    }

    @Test func partsAreTheFile() throws {
        try make(photo(1), bytes: 1)
        let text = String(repeating: "0123456789", count: 1000)
        folder.write(text, to: "captures/door/\(photo(1))")
        for part in [1000, 3333, 10_000, 131_072] {
            #expect(try content(photo(1), part: part).bytes == Array(text.utf8))
        }
        var cache = DigestCache()
        let described = try files.digest(photo(1), &cache)
        #expect(described.bytes == 10_000 && described.kind == .photo)
        #expect(described.sha256 == Hexadecimal.text(of: SHA256.hash(of: Array(text.utf8))))
        #expect(try described.version == content(photo(1), part: 5000).version)
        #expect(try files.describe(photo(1)).version == described.version)
        #expect(described.version.map { cache[$0] } == described.sha256)
    }

    /// More than is hashed at a time.
    @Test func aLongFileHasItsHash() throws {
        try make(movie, in: "recordings", bytes: 3_000_001)
        var cache = DigestCache()
        let described = try files.digest(movie, &cache)
        #expect(
            described.sha256 == Hexadecimal.text(of: SHA256.hash(of: [UInt8](repeating: 0, count: 3_000_001)))
        )
        #expect(described.contentType == "video/mp4")
    }

    @Test func anEmptyFileHasNoBytes() throws {
        try make(photo(1), bytes: 0)
        #expect(try content(photo(1), part: 10).bytes.isEmpty)
        var cache = DigestCache()
        #expect(try files.digest(photo(1), &cache).sha256 == Hexadecimal.text(of: SHA256.hash(of: [])))
    }

    @Test func aPartEndsWithTheFile() throws {
        try make(photo(1), bytes: 100)
        var part = MediaSet.Part(name: photo(1))
        (part.offset, part.length) = (90, 50)
        #expect(try files.read(part).bytes.count == 10)
        part.offset = 100
        #expect(try files.read(part).bytes.isEmpty)
        part.offset = 101
        let error = error { () throws(CommandError) in try files.read(part) }
        #expect(error?.code == .badPayload && error?.field == "offset")
    }

    /// Its size stays the same, and even its time.
    @Test func aChangedFileIsAConflict() throws {
        try make(photo(1), bytes: 100)
        var part = MediaSet.Part(name: photo(1))
        part.version = try files.describe(photo(1)).version
        #expect(try files.read(part).bytes.count == 100)
        try make(photo(1), bytes: 100)
        let error = error { () throws(CommandError) in try files.read(part) }
        #expect(error?.code == .conflict && error?.field == "version")
        #expect(try files.describe(photo(1)).version != part.version)
    }

    @Test func aFileIsDeleted() throws {
        for number in 1...2 { try make(photo(number), bytes: 5) }
        try files.delete(photo(1))
        #expect(try page().names == [photo(2)] && folder.names(in: "captures/door") == [photo(2)])
        #expect(error { () throws(CommandError) in try files.delete(photo(1)) }?.code == .badPayload)
    }

    @Test func theFileOfARecordingUnderWayIsBusy() throws {
        let path = try open.begin(camera: "door", name: movie)
        try make(movie, in: "recordings", bytes: 100)
        var cache = DigestCache()
        let errors = [
            error { () throws(CommandError) in try files.delete(movie) },
            error { () throws(CommandError) in try files.read(.init(name: movie)) },
            error { () throws(CommandError) in try files.digest(movie, &cache) },
        ]
        #expect(errors.allSatisfy { $0?.code == .busy } && folder.names(in: "recordings/door") == [movie])
        // It is neither listed nor counted before it is finished.
        #expect(try page().names == [] && files.count() == MediaState())
        open.close(path)
        #expect(try page().names == [movie] && files.count().recordings.count == 1)
        try files.delete(movie)
        #expect(folder.names(in: "recordings/door").isEmpty)
    }

    // MARK: Threads

    /// A hash that takes long keeps no other request waiting.
    @Test func aHashHasAThreadOfItsOwn() throws {
        try make(photo(1), bytes: 10)
        let loop = EventLoop()
        let service = try MediaFiles(photos: files.photos, recordings: files.recordings, open: open, on: loop)
        var results: [String] = []
        service.digest(camera: "door", name: photo(1)) {
            results.append("hash \((try? $0.get())?.bytes ?? 0)")
        }
        service.list(camera: "door", .init()) { results.append("list \((try? $0.get())?.files.count ?? 0)") }
        service.count(camera: "door") { results.append("count \((try? $0.get())?.photos.count ?? 0)") }
        service.delete(camera: "door", name: photo(2)) { results.append("delete \((try? $0.get()) != nil)") }
        loop.turn { results.count == 4 }
        #expect(results.sorted() == ["count 1", "delete false", "hash 10", "list 1"])
        #expect(results.filter { !$0.hasPrefix("hash") } == ["list 1", "count 1", "delete false"])
    }
}
