import Ctl
import FoundationEssentials
import Glibc
import Testing

@testable import Contract

/// The state file of a rollout on a disk.
@Suite struct RolloutFileTests {
    /// A new folder, which the test removes.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rollout-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func itIsReplacedAsAWhole() throws {
        try inFolder { folder in
            let file = RolloutFile("\(folder)/night.state")
            try file.open()
            #expect(try file.read() == nil)
            for bytes in [[1, 2, 3], [4]] as [[UInt8]] {
                #expect(file.write(bytes) == nil)
                #expect(try file.read() == bytes)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == ["night.state", "night.state.lock"])
        }
    }

    @Test func oneProgramUsesIt() throws {
        try inFolder { folder in
            let file = RolloutFile("\(folder)/night.state")
            try file.open()
            let error = #expect(throws: CommandError.self) { try RolloutFile("\(folder)/night.state").open() }
            #expect(error?.message.hasSuffix("another rollout is using it.") == true)
            withExtendedLifetime(file) {}
        }
    }

    /// A pipe would be waited for without an end.
    @Test func onlyARegularFileIsTaken() throws {
        try inFolder { folder in
            let pipe = "\(folder)/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            for path in [pipe, folder, "/dev/null"] {
                let error = #expect(throws: CommandError.self) { try RolloutFile(path).open() }
                #expect(error?.message == "\(path) is no regular file.")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == ["pipe"])
        }
    }
}
