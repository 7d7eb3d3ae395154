import Base
import Glibc
import Testing

/// Descriptors and signals.
@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    let loop = EventLoop()

    /// A pipe that is closed at the end of the test.
    final class Pipe {
        private(set) var ends: [Int32] = [-1, -1]
        var reading: Int32 { ends[0] }
        var writing: Int32 { ends[1] }

        init() { #expect(pipe(&ends) == 0) }

        deinit {
            for end in ends { close(end) }
        }

        func write(_ text: String) { #expect(Glibc.write(writing, text, text.utf8.count) == text.utf8.count) }

        func closeWriting() {
            close(ends[1])
            ends[1] = -1
        }
    }

    @Test func aDescriptorIsReadyWhenThereIsSomethingToRead() {
        let pipe = Pipe()
        var seen: [EventLoop.Interest] = []
        loop.watch(pipe.reading) { seen.append($0) }
        loop.runOnce(timeout: .zero)
        #expect(seen.isEmpty)
        pipe.write("x")
        loop.runOnce(timeout: nil)
        #expect(seen == [.readable])
        loop.unwatch(pipe.reading)
        loop.runOnce(timeout: .zero)
        #expect(seen.count == 1)
    }

    @Test func aClosedPeerIsReportedWithoutAnEventMask() {
        let pipe = Pipe()
        var seen: [EventLoop.Interest] = []
        loop.watch(pipe.reading, for: { [] }, ready: { seen.append($0) })
        pipe.closeWriting()
        loop.runOnce(timeout: nil)
        #expect(seen.count == 1 && !seen[0].isDisjoint(with: .failed))
    }

    @Test func whatADescriptorIsWatchedForIsAskedOnEachTurn() {
        let pipe = Pipe()
        var (wantsToWrite, turns) = (false, 0)
        loop.watch(pipe.writing, for: { wantsToWrite ? .writable : [] }, ready: { _ in turns += 1 })
        loop.runOnce(timeout: .zero)
        #expect(turns == 0)
        wantsToWrite = true
        loop.runOnce(timeout: .zero)
        #expect(turns == 1)
    }

    @Test func aWatchThatAnotherEndsOnTheSameTurnIsNotCalled() {
        let pipes = [Pipe(), Pipe()]
        var seen = 0
        for (pipe, other) in [(pipes[0], pipes[1]), (pipes[1], pipes[0])] {
            pipe.write("x")
            loop.watch(pipe.reading) { [unowned loop] _ in
                seen += 1
                loop.unwatch(other.reading)
            }
        }
        loop.runOnce(timeout: nil)
        #expect(seen == 1)
    }

    /// Both pipes are readable. The first call closes the other pipe's end and opens an empty one in its
    /// place.
    @Test func aNewWatchOfADescriptorThatIsOpenedAgainGetsNoEventOfTheOldOne() {
        let (pipes, empty) = ([Pipe(), Pipe()], Pipe())
        var (seen, seenByNew) = (0, 0)
        for (pipe, other) in [(pipes[0], pipes[1]), (pipes[1], pipes[0])] {
            pipe.write("x")
            loop.watch(pipe.reading) { [unowned loop] _ in
                seen += 1
                loop.unwatch(other.reading)
                #expect(dup2(empty.reading, other.reading) == other.reading)
                loop.watch(other.reading) { _ in seenByNew += 1 }
            }
        }
        loop.runOnce(timeout: nil)
        #expect((seen, seenByNew) == (1, 0))
    }

    @Test func stopEndsTheRunAfterThePresentTurn() {
        var fired: [Int] = []
        let timers = (0..<3).map { n in
            loop.timer { [loop] in
                fired.append(n)
                loop.stop()
            }
        }
        for timer in timers { timer.set(at: .now - .seconds(1)) }
        loop.run()
        #expect(fired.sorted() == [0, 1, 2])
    }

    /// To the calling thread alone, so that the test runner doesn't notice.
    @Test func signalsAreMessages() throws {
        var received: [Int32] = []
        let signals = try Signals([SIGUSR1, SIGUSR2], on: loop) { received.append($0) }
        defer { withExtendedLifetime(signals) {} }
        loop.runOnce(timeout: .zero)
        #expect(received.isEmpty)
        raise(SIGUSR2)
        loop.runOnce(timeout: nil)
        #expect(received == [SIGUSR2])
        raise(SIGUSR1)
        raise(SIGUSR2)
        loop.runOnce(timeout: nil)
        #expect(received.sorted() == [SIGUSR2, SIGUSR1, SIGUSR2].sorted())
    }
}
