import Contract
import Settings
import TestSupport
import Testing

@testable import Media
@testable import Settings

/// Photos are stored completely, and together stay below their maximum size.
struct MediaFolderTests {
    let folder = TemporaryFolder()

    func media(_ bytes: Int, keptDays: Double = 0) -> MediaFolder {
        MediaFolder(
            FolderSettings(directory: folder.path, maximumBytes: bytes, keptDays: keptDays), of: .photo,
            cameras: ["door", "yard"])
    }

    func name(_ number: Int, camera: String = "door") -> String {
        "\(camera)-20261121T120000.000Z-00000\(number).jpg"
    }

    func store(_ photo: [UInt8], as name: String, in media: inout MediaFolder) throws {
        try media.store(photo, camera: "door", path: "\(folder.path)/door/\(name)")
    }

    @Test func theOldestOfAllCamerasMakeRoom() throws {
        try folder.make("door/\(name(1))", bytes: 400, age: 10)
        try folder.make("yard/\(name(1, camera: "yard"))", bytes: 400, age: 20)
        var media = media(1000)
        try store([UInt8](repeating: 1, count: 300), as: name(2), in: &media)
        #expect(folder.names(in: "door") == [name(1), name(2)])
        #expect(folder.names(in: "yard").isEmpty)
    }

    @Test func photosThatAreToBeKeptAreNotDeleted() throws {
        let day = 86_400
        try folder.make("door/\(name(1))", bytes: 400, age: 3 * day)
        try folder.make("door/\(name(2))", bytes: 400, age: day)
        var media = media(1000, keptDays: 2)
        try store([UInt8](repeating: 1, count: 300), as: name(3), in: &media)
        #expect(folder.names(in: "door") == [name(2), name(3)])
        let error = #expect(throws: CommandError.self) {
            try store([UInt8](repeating: 1, count: 400), as: name(4), in: &media)
        }
        #expect(String(describing: error).contains("kept for 2 days"))
        #expect(folder.names(in: "door") == [name(2), name(3)])
    }

    /// Only exact names are the agent's.
    @Test(arguments: [
        "garden.jpg", "hall-20261121T120000.000Z-000001.jpg", "door-partyZ-12.jpg", "door-partyZ-000012.jpg",
        "door-20261124T113228Z-1.jpg", "door-20261124T113228Z-000001.jpg",
        "door-20261124T113228.000Z-1.jpg", "door-20261124T113228.000Z-0000001.jpg",
        "door-20261124T113228.000Z-00000१.jpg", "door-20261124T113228.000Z--000001.jpg",
        "door-20261124T113228.000Z-000001-2.jpg", "door-partyZ-12.jpg.part",
    ])
    func whatIsNotOursIsNeitherCountedNorTaken(foreign: String) throws {
        try folder.make("door/\(foreign)", bytes: 5000, age: 100)
        var media = media(1000)
        for number in 1...4 {
            try store([UInt8](repeating: 1, count: 300), as: name(number), in: &media)
        }
        #expect(folder.names(in: "door") == [name(2), name(3), name(4), foreign].sorted())
    }

    @Test func aPhotoThatCanNeverFitTakesNothingAway() throws {
        try folder.make("door/\(name(1))", bytes: 400, age: 10)
        var media = media(1000)
        #expect(throws: CommandError.self) {
            try store([UInt8](repeating: 1, count: 1001), as: name(2), in: &media)
        }
        #expect(folder.names(in: "door") == [name(1)])
    }

    @Test func aPhotoFromTheFutureIsTheOldest() throws {
        try folder.make("door/\(name(1))", bytes: 400, age: -100_000)
        try folder.make("door/\(name(2))", bytes: 400, age: 10)
        var media = media(1000)
        try store([UInt8](repeating: 1, count: 300), as: name(3), in: &media)
        #expect(folder.names(in: "door") == [name(2), name(3)])
    }

    @Test func otherUsersMayNotReadPhotos() throws {
        var media = MediaFolder(
            FolderSettings(directory: folder.file("captures"), maximumBytes: 1000), of: .photo,
            cameras: ["door"])
        try media.store([1], camera: "door", path: folder.file("captures/door/\(name(1))"))
        #expect(folder.permissions(of: "captures") == lessUmask(0o750))
        #expect(folder.permissions(of: "captures/door") == lessUmask(0o750))
        #expect(folder.permissions(of: "captures/door/\(name(1))") == lessUmask(0o640))
    }

    @Test(arguments: ["", MediaFileName.unfinished]) func aLinkInTheFolderIsReplacedAndNotFollowed(
        suffix: String
    ) throws {
        let foreign = folder.write("foreign", to: "foreign")
        try folder.make("door/other", bytes: 0)
        folder.link("door/\(name(1))\(suffix)", to: foreign)
        var media = media(1000)
        try store([1, 2, 3], as: name(1), in: &media)
        #expect(size(foreign) == 7)
        #expect(folder.names(in: "door") == [name(1), "other"])
        #expect(folder.permissions(of: "door/\(name(1))") == lessUmask(0o640))
    }

    @Test func aLinkedFolderIsNeitherWrittenNorCleared() throws {
        try folder.make("foreign/\(name(1))", bytes: 800, age: 100)
        try folder.make("foreign/\(name(2))\(MediaFileName.unfinished)", bytes: 100)
        folder.link("door", to: folder.file("foreign"))
        var media = media(1000)
        #expect {
            try store([UInt8](repeating: 1, count: 300), as: name(3), in: &media)
        } throws: {
            $0 as? CommandError
                == CommandError(
                    .device,
                    "\(folder.path)/door is not a folder; a symbolic link is not followed (captures.directory)."
                )
        }
        #expect(folder.names(in: "foreign") == [name(1), name(2) + MediaFileName.unfinished])
    }

    @Test func aLinkedFileIsNotCounted() throws {
        let foreign = folder.write(String(repeating: "x", count: 5000), to: "foreign")
        try folder.make("door/\(name(1))", bytes: 400, age: 10)
        folder.link("door/\(name(2))", to: foreign)
        var media = media(1000)
        try store([UInt8](repeating: 1, count: 300), as: name(3), in: &media)
        #expect(folder.names(in: "door") == [name(1), name(2), name(3)])
    }

    @Test func aFolderThatCannotBeSyncedIsAnError() throws {
        var media = media(1000)
        let error = #expect(throws: CommandError.self) {
            try folder.withUnreadable("door") { try store([1], as: name(1), in: &media) }
        }
        #expect(error?.code == .device)
        #expect(
            error?.message
                == "The file can't be written: \(folder.file("door")): Permission denied (captures.directory)"
        )
    }

    @Test func whatAnEarlierRunLeftUnfinishedGoes() throws {
        try folder.make("door/\(name(1))\(MediaFileName.unfinished)", bytes: 400)
        try folder.make("door/\(name(2))\(MediaFileName.unfinished)", bytes: 400)
        let written = "\(folder.path)/door/\(name(2))"
        media(1000).deleteUnfinished(but: [written: 400])
        #expect(
            folder.names(in: "door") == [name(2) + MediaFileName.unfinished], "but not what is being written")
    }
}
