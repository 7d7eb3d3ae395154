internal import Glibc
internal import LoopThread

/// Makes TCP connections. What blocks is done on threads of their own: the lookup of names, and reading the
/// files for TLS. There is at most one such thread for each host, however often a host is tried.
final class Connector {
    /// A TCP connection, and the certificates for it.
    struct Opened {
        /// Belongs to the receiver, which closes it.
        let descriptor: Int32
        let tls: TLSContext?
    }

    enum Failure: Error {
        /// Nothing can be tried, for this reason: the name is unknown, or a file can't be used.
        case impossible(String)
        /// A value of `errno`.
        case system(Int32)
    }

    /// `@unchecked Sendable`: the thread hands it over to the loop, and keeps nothing of it.
    private struct Prepared: @unchecked Sendable {
        let addresses: [SocketAddress]
        let tls: TLSContext?
    }

    private final class Preparation {
        let worker: SerialWorker<Void>
        /// Nil: the attempt was abandoned.
        var then: ((Result<Prepared, Failure>) -> Void)?

        init(_ worker: SerialWorker<Void>) { self.worker = worker }
    }

    private let hosts: [BrokerHost]
    private let tls: BusSettings.TLS?
    private let loop: EventLoop
    /// The preparations that have not ended, by host.
    private var preparations: [Int: Preparation] = [:]
    /// The addresses of the host that was looked up last.
    private var known: (host: Int, addresses: [SocketAddress])?
    /// The socket that is being connected.
    private var descriptor: Int32?

    init(_ settings: BusSettings, on loop: EventLoop) {
        (hosts, tls, self.loop) = (settings.hosts, settings.tls, loop)
    }

    deinit { abandon() }

    /// Whether the name of a host is still being looked up.
    func isPreparing(_ host: Int) -> Bool { preparations[host] != nil }

    /// Starts an attempt. There is one at a time.
    ///
    /// - Parameters:
    ///   - host: the place of the host in the settings.
    ///   - address: which of its addresses; 0 looks them up.
    ///   - found: called with the number of addresses.
    ///   - finished: called on the loop, also before this returns, unless the attempt is abandoned.
    func connect(
        to host: Int, address: Int, found: @escaping (Int) -> Void,
        finished: @escaping (Result<Opened, Failure>) -> Void
    ) {
        prepare(host, lookup: address == 0) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let failure): finished(.failure(failure))
            case .success(let prepared):
                known = (host, prepared.addresses)
                found(prepared.addresses.count)
                let chosen = prepared.addresses[min(address, prepared.addresses.count - 1)]
                open(chosen) { finished($0.map { Opened(descriptor: $0, tls: prepared.tls) }) }
            }
        }
    }

    /// Ends the attempt without waiting for a thread: a lookup may block for a long time. The next attempt
    /// with this host waits for the same lookup.
    func abandon() {
        for preparation in preparations.values { preparation.then = nil }
        if let descriptor { closeSocket(descriptor) }
    }

    private func prepare(_ host: Int, lookup: Bool, then: @escaping (Result<Prepared, Failure>) -> Void) {
        if let running = preparations[host] {
            running.then = then
            return
        }
        let addresses = lookup || known?.host != host ? nil : known?.addresses
        do throws(LoopError) {
            let worker = try SerialWorker<Void>(name: "mqtt-connect", on: loop, idleTime: .zero) {}
            let preparation = Preparation(worker)
            preparation.then = then
            preparations[host] = preparation
            try worker.run({ [place = hosts[host], tls] _ in
                Self.prepared(place, tls, addresses)
            }) { [weak self] result in
                self?.preparations.removeValue(forKey: host)?.then?(result)
            }
        } catch {
            preparations[host] = nil
            then(.failure(.impossible("the system refuses a further thread: \(error)")))
        }
    }

    /// On the thread.
    private static func prepared(
        _ host: BrokerHost, _ tls: BusSettings.TLS?, _ addresses: [SocketAddress]?
    ) -> Result<Prepared, Failure> {
        do throws(TLSFileError) {
            // They may have been replaced since the last connection.
            let context =
                tls == nil
                ? nil
                : try tls.map { tls throws(TLSFileError) in
                    try TLSContext(tls, host: host.name)
                }
            if let addresses { return .success(Prepared(addresses: addresses, tls: context)) }
            return SocketAddress.lookup(host).map { Prepared(addresses: $0, tls: context) }.mapError {
                .impossible($0.reason)
            }
        } catch {
            return .failure(.impossible("\(error)"))
        }
    }

    private func open(_ address: SocketAddress, finished: @escaping (Result<Int32, Failure>) -> Void) {
        switch address.connect() {
        case .failure(let error): finished(.failure(.system(error.code)))
        case .success(let descriptor):
            self.descriptor = descriptor
            loop.watch(descriptor, for: { .writable }) { [weak self] _ in
                guard let self else { return }
                if let error = SocketAddress.pendingError(of: descriptor) {
                    closeSocket(descriptor)
                    finished(.failure(.system(error.code)))
                } else if SocketAddress.isConnected(descriptor) {
                    loop.unwatch(descriptor)
                    self.descriptor = nil
                    finished(.success(descriptor))
                }
            }
        }
    }

    private func closeSocket(_ descriptor: Int32) {
        loop.unwatch(descriptor)
        close(descriptor)
        self.descriptor = nil
    }
}
