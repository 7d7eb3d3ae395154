internal import Glibc
internal import LoopThread

/// Finds the addresses of hosts, and reads the files for TLS. Both block, and are done on threads of their
/// own: at most one for each host, however often a host is tried.
final class Connector {
    /// What a connection needs.
    struct Found {
        /// Numeric.
        let address: String
        /// How many addresses the host has.
        let count: Int
        let tls: TLSContext?
    }

    /// Why nothing can be tried: the name is unknown, or a file can't be used.
    struct Failure: Error { let reason: String }

    /// `@unchecked Sendable`: the thread hands it over to the loop, and keeps nothing of it.
    private struct Prepared: @unchecked Sendable {
        let addresses: [String]
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
    private var known: (host: Int, addresses: [String])?

    init(_ settings: BusSettings, on loop: EventLoop) {
        (hosts, tls, self.loop) = (settings.hosts, settings.tls, loop)
    }

    deinit { abandon() }

    /// Whether the name of a host is still being looked up.
    func isPreparing(_ host: Int) -> Bool { preparations[host] != nil }

    /// There is one search at a time.
    ///
    /// - Parameters:
    ///   - host: the place of the host in the settings.
    ///   - address: which of its addresses; 0 looks them up.
    ///   - finished: called on the loop, unless the search is abandoned.
    func find(_ host: Int, address: Int, finished: @escaping (Result<Found, Failure>) -> Void) {
        prepare(host, lookup: address == 0) { [weak self] result in
            finished(
                result.map { prepared in
                    let addresses = prepared.addresses
                    self?.known = (host, addresses)
                    return Found(
                        address: addresses[min(address, addresses.count - 1)], count: addresses.count,
                        tls: prepared.tls)
                })
        }
    }

    /// Ends the search without waiting for a thread: a lookup may block for a long time. The next search for
    /// this host waits for the same lookup.
    func abandon() {
        for preparation in preparations.values { preparation.then = nil }
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
            then(.failure(Failure(reason: "the system refuses a further thread: \(error)")))
        }
    }

    /// On the thread.
    private static func prepared(
        _ host: BrokerHost, _ tls: BusSettings.TLS?, _ addresses: [String]?
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
            return lookup(host).map { Prepared(addresses: $0, tls: context) }
        } catch {
            return .failure(Failure(reason: "\(error)"))
        }
    }

    /// All addresses of a host, numeric, in the order in which the resolver recommends them. Blocks while it
    /// asks name servers.
    static func lookup(_ host: BrokerHost) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.name, nil, &hints, &list)
        guard code == 0 else {
            let reason =
                code == EAI_SYSTEM ? strerror(errno) : UnsafeMutablePointer(mutating: gai_strerror(code))
            return .failure(Failure(reason: reason.map { String(cString: $0) } ?? "error \(code)"))
        }
        defer { freeaddrinfo(list) }
        let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            entry.flatMap { numeric($0.pointee) }
        }
        return found.isEmpty ? .failure(Failure(reason: "the name has no address")) : .success(found)
    }

    private static func numeric(_ entry: addrinfo) -> String? {
        // Room for a link-local address with the name of its interface.
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        return code == 0
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
