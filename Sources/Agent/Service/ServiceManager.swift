internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// Notifications to systemd by the protocol of sd_notify(3): datagrams to the socket that the environment
/// names. Without such a socket, none are sent.
struct ServiceManager {
    private let address: String?
    /// The longest interval between two `WATCHDOG=1`.
    let watchdogInterval: Duration?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        address = environment["NOTIFY_SOCKET"]
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        watchdogInterval =
            isForUs
            ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil }
            : nil
    }

    /// The service loads its configuration again; `READY=1` ends that.
    func notifyReload() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// Sends the manager a line such as `READY=1`.
    func notify(_ line: String) {
        guard let address else { return }
        _ = clinux_send_datagram(address, line, line.utf8.count)
    }
}
