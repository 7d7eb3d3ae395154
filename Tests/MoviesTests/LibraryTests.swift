import FoundationEssentials
import Settings
import TestSupport
import Testing

@testable import Media

@Suite(.timeLimit(.minutes(10))) struct LibraryTests {
    /// In processes of their own: other tests use the libraries too.
    @Test func librariesAreUnloadedAfterTheirLastUse() async {
        await #expect(processExitsWith: .success) {
            do {
                let libraries = try MovieLibraries.installed.load()
                try #require(areLoaded())
                withExtendedLifetime(libraries) {}
            }
            #expect(!areLoaded())
        }
    }

    @Test func librariesThatAreKeptUntilExitStayLoaded() async {
        await #expect(processExitsWith: .success) {
            do {
                let libraries = try MovieLibraries.installed.load()
                MovieLibraries.keepUntilExit()
                withExtendedLifetime(libraries) {}
            }
            #expect(areLoaded())
        }
    }

    /// A recording may begin while the agent stops.
    @Test func librariesAreLoadedAfterTheyAreKept() async {
        await #expect(processExitsWith: .success) {
            MovieLibraries.keepUntilExit()
            try #require(!areLoaded())
            do {
                let folder = TemporaryFolder()
                let format = MovieFormat.small(.mjpeg)
                let writer = try MovieWriter(path: folder.file("a"), format: format)
                #expect(writer.finish().frames == 0)
            }
            #expect(areLoaded())
        }
    }
}

/// Whether libavformat is part of this process.
private func areLoaded() -> Bool {
    let process = ProcessInfo.processInfo.processIdentifier
    return String(decoding: read("/proc/\(process)/maps"), as: UTF8.self)
        .contains(MovieLibraries.installed.format)
}
