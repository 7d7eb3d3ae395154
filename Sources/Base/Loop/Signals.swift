internal import CLinux
internal import Glibc

/// Signals as messages to a loop, so that no code runs inside a signal handler.
///
/// To be created on the main thread. Threads created by ``Thread`` receive no signals.
package final class Signals {
    private let descriptor: Int32

    /// Blocks the signals for the process and reads them from a signalfd instead.
    package init(_ signals: [Int32], on loop: EventLoop, receive: @escaping (Int32) -> Void) throws(LoopError)
    {
        let blocked = clinux_block_signals(signals, Int32(signals.count))
        if blocked < 0 { throw LoopError(call: "pthread_sigmask", code: -blocked) }
        descriptor = clinux_signalfd(signals, Int32(signals.count))
        if descriptor < 0 { throw LoopError(call: "signalfd", code: -descriptor) }
        loop.watch(descriptor) { [descriptor] _ in
            while case let signal = clinux_signalfd_next(descriptor), signal > 0 { receive(signal) }
        }
    }
}
