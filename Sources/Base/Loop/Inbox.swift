internal import CLinux
internal import Glibc
internal import Synchronization

/// A queue from other threads to a loop: messages arrive in the order in which they were sent, and none is
/// lost.
///
/// The sender wakes the loop by an eventfd, once for any number of queued messages.
package final class Inbox<Message: Sendable>: Sendable {
    private let waiting = Mutex<[Message]>([])
    private let wakeUp: Int32

    /// - Throws: ``LoopError`` when the process is out of descriptors.
    package init() throws(LoopError) {
        wakeUp = clinux_eventfd()
        if wakeUp < 0 { throw LoopError(call: "eventfd", code: -wakeUp) }
    }

    deinit { close(wakeUp) }

    /// Hands a message over. Any thread may call this; it never waits.
    package func send(_ message: Message) {
        let wasEmpty = waiting.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if wasEmpty { clinux_eventfd_signal(wakeUp) }
    }

    /// Lets the loop take the messages, each by `receive`, until ``detach(from:)``.
    package func attach(to loop: EventLoop, receive: @escaping (Message) -> Void) {
        loop.watch(wakeUp) { [self] _ in
            clinux_eventfd_drain(wakeUp)
            let messages = waiting.withLock { messages in
                defer { messages.removeAll(keepingCapacity: true) }
                return messages
            }
            for message in messages { receive(message) }
        }
    }

    /// Ends what ``attach(to:receive:)`` began.
    package func detach(from loop: EventLoop) {
        loop.unwatch(wakeUp)
    }
}
