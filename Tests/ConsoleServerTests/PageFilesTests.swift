import FoundationEssentials
import NIOCore
import Testing

@testable import Server

@Suite struct PageFilesTests {
    private static let folder =
        String(#filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" })
        + "/Sources/Server/HTTP/Page"

    @Test func everyFileOfThePageIsServed() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(names.map { $0 == "index.html" ? "" : $0 }) == Set(PageFiles.all.keys))
        for name in names {
            let file = try #require(PageFiles.all[name == "index.html" ? "" : name])
            #expect(file.type != "application/octet-stream", "\(name)")
            let content = try #require(FileManager.default.contents(atPath: "\(Self.folder)/\(name)"))
            // A failure does not print the file.
            let isSame = Array(file.content.readableBytesView) == Array(content)
            #expect(isSame, "\(name)")
        }
    }

    @Test func eachContentHasATagOfItsOwn() {
        #expect(Set(PageFiles.all.values.map(\.tag)).count == PageFiles.all.count)
    }
}
