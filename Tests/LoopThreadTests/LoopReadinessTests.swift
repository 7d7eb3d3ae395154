import Base
import Glibc
import Testing

/// A loop that is run by another one: its eventfd.
@Suite(.timeLimit(.minutes(10))) struct LoopReadinessTests {
    let loop = EventLoop()

    private func prepare(_ method: LoopReadiness.Method) throws -> (LoopReadiness, signal: Int32) {
        let readiness = try LoopReadiness(of: loop, preferring: method)
        return (readiness, try readiness.makeDescriptor())
    }

    /// Runs the loop once for a signal, as another loop does.
    private func runAfterSignal(_ readiness: LoopReadiness, _ signal: Int32) {
        var entry = pollfd(fd: signal, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, -1) == 1)
        var count: UInt64 = 0
        #expect(read(signal, &count, 8) == 8)
        readiness.signalled()
        loop.runOnce(timeout: .zero)
        readiness.signalWhenReady()
    }

    private func isSignalled(_ signal: Int32) -> Bool {
        var entry = pollfd(fd: signal, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test(arguments: [LoopReadiness.Method.kernel, .thread])
    func eachMessageSignalsTheLoopOnce(_ method: LoopReadiness.Method) throws {
        let (readiness, signal) = try prepare(method)
        defer { close(signal) }
        let inbox = try Inbox<Int>()
        var received: [Int] = []
        inbox.attach(to: loop) { received.append($0) }
        readiness.signalWhenReady()
        for number in 0..<100 {
            #expect(!isSignalled(signal))
            let thread = try Thread(name: "sender") { inbox.send(number) }
            runAfterSignal(readiness, signal)
            thread.join()
        }
        #expect(received == Array(0..<100))
    }

    @Test(arguments: [LoopReadiness.Method.kernel, .thread])
    func whatIsReadyBeforeTheWaitSignalsToo(_ method: LoopReadiness.Method) throws {
        let (readiness, signal) = try prepare(method)
        defer { close(signal) }
        let inbox = try Inbox<Int>()
        var received: [Int] = []
        inbox.attach(to: loop) { received.append($0) }
        inbox.send(1)
        readiness.signalWhenReady()
        runAfterSignal(readiness, signal)
        #expect(received == [1])
    }

    @Test(arguments: [LoopReadiness.Method.kernel, .thread])
    func aChangedInterestCountsDuringTheWait(_ method: LoopReadiness.Method) throws {
        let (readiness, signal) = try prepare(method)
        defer { close(signal) }
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var interest = EventLoop.Interest.readable
        var happened: EventLoop.Interest = []
        loop.watch(ends[0], for: { interest }) { happened.formUnion($0) }
        readiness.signalWhenReady()
        #expect(!isSignalled(signal))
        interest = .writable
        readiness.signalWhenReady()
        runAfterSignal(readiness, signal)
        #expect(happened == .writable)
    }

    @Test func aDescriptorWithTheNumberOfAClosedOneIsWatched() throws {
        let (readiness, signal) = try prepare(.kernel)
        defer { close(signal) }
        var first: [Int32] = [0, 0]
        #expect(pipe(&first) == 0)
        loop.watch(first[0]) { _ in }
        readiness.signalWhenReady()
        loop.unwatch(first[0])
        var second: [Int32] = [0, 0]
        #expect(pipe(&second) == 0)
        // The second pipe takes the number of the first one.
        #expect(dup2(second[0], first[0]) == first[0])
        var received = 0
        loop.watch(first[0]) { [first] _ in
            var byte: UInt8 = 0
            received += read(first[0], &byte, 1)
        }
        readiness.signalWhenReady()
        #expect(write(second[1], [1], 1) == 1)
        runAfterSignal(readiness, signal)
        #expect(received == 1)
        for end in first + second { close(end) }
    }
}
