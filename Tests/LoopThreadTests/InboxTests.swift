import Base
import Glibc
import Testing

/// Messages from other threads.
@Suite(.timeLimit(.minutes(10))) struct InboxTests {
    let loop = EventLoop()

    @Test func messagesComeInTheOrderInWhichTheyWereSent() throws {
        let inbox = try Inbox<Int>()
        var received: [Int] = []
        for n in 0..<5 { inbox.send(n) }
        inbox.attach(to: loop) { received.append($0) }
        for n in 5..<10 { inbox.send(n) }
        loop.runOnce(timeout: nil)
        #expect(received == Array(0..<10))
        loop.runOnce(timeout: .zero)
        #expect(received.count == 10)
    }

    @Test func aMessageThatIsSentWhileOthersAreTakenComesOnTheNextTurn() throws {
        let inbox = try Inbox<Int>()
        var received: [Int] = []
        inbox.attach(to: loop) { n in
            received.append(n)
            if n < 3 { inbox.send(n + 1) }
        }
        inbox.send(1)
        for turn in 1...3 {
            loop.runOnce(timeout: nil)
            #expect(received == Array(1...turn))
        }
    }

    @Test func anotherThreadWakesTheLoop() throws {
        let inbox = try Inbox<String>()
        var received: [String] = []
        inbox.attach(to: loop) { [unowned loop] message in
            received.append(message)
            loop.stop()
        }
        let thread = try Thread(name: "sender") { inbox.send("awake") }
        loop.run()
        thread.join()
        #expect(received == ["awake"])
    }

    @Test func nothingIsLostBetweenManySendersAndEachOnesOrderIsKept() throws {
        let (senders, each) = (4, 2500)
        let inbox = try Inbox<(sender: Int, number: Int)>()
        var received = [[Int]](repeating: [], count: senders)
        var count = 0
        inbox.attach(to: loop) { [unowned loop] message in
            received[message.sender].append(message.number)
            count += 1
            if count == senders * each { loop.stop() }
        }
        let threads = try (0..<senders).map { sender in
            try Thread(name: "sender \(sender)") {
                for number in 0..<each { inbox.send((sender, number)) }
            }
        }
        loop.run()
        for thread in threads { thread.join() }
        #expect(received.allSatisfy { $0 == Array(0..<each) })
    }

    @Test func afterItIsDetachedNothingComes() throws {
        let inbox = try Inbox<Int>()
        inbox.attach(to: loop) { _ in Issue.record("received") }
        inbox.send(1)
        inbox.detach(from: loop)
        loop.runOnce(timeout: .zero)
    }
}
