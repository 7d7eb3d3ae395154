internal import CLinux
internal import Glibc

/// What the kernel knows of the machine's time of day (`CLOCK_REALTIME`).
package enum TimeOfDay {
    /// The kernel's largest value of the error: of a clock that isn't synchronised.
    private static let unknownError: Int64 = 16_000_000

    /// The largest error of the clock, as its synchronisation reports it; nil: the clock isn't synchronised.
    ///
    /// It is judged as systemd-timedated does: by `maxerror` of adjtimex(2) alone. The flag `STA_UNSYNC` may
    /// be set only to keep the kernel from writing the hardware clock.
    package static var error: Duration? {
        let microseconds = clinux_clock_error()
        return (0..<unknownError).contains(microseconds) ? .microseconds(microseconds) : nil
    }

    /// The day on which the program was built, in seconds since 1970: no right clock is before it.
    package static var built: Int { clinux_build_time() }
}

/// Reports each time that the machine's time of day is set, until its release.
package final class ClockSteps {
    private let descriptor: Int32
    private let loop: EventLoop

    /// - Parameter stepped: called on the loop after each step. A change of the clock's rate is no step: the
    ///   clock of the loop changes its rate too.
    /// - Throws: ``LoopError`` when the process is out of descriptors.
    package init(on loop: EventLoop, stepped: @escaping () -> Void) throws(LoopError) {
        descriptor = clinux_clock_steps()
        self.loop = loop
        if descriptor < 0 { throw LoopError(call: "timerfd_create", code: -descriptor) }
        loop.watch(descriptor) { [descriptor] _ in
            if clinux_clock_was_set(descriptor) != 0 { stepped() }
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        loop.unwatch(descriptor)
        close(descriptor)
    }
}
