internal import Base
internal import Glibc
internal import Settings

/// Finds the addresses of hosts, and reads the files for TLS. Both block, and are done on threads of their
/// own: at most one for each host, however often a host is tried.
final class Lookup {
    /// What a connection needs.
    ///
    /// `@unchecked Sendable`: the thread hands it over to the loop, and keeps nothing of it.
    struct Found: @unchecked Sendable {
        /// Numeric; at least one.
        let addresses: [String]
        let tls: TLSContext?
    }

    /// Why nothing can be tried: the name is unknown, or a file can't be used.
    struct Failure: Error { let reason: String }

    private let hosts: [BrokerAddress]
    private let tls: TLSFiles?
    private let loop: EventLoop
    /// The threads that have not ended, by host.
    private var workers: [Int: SerialWorker<Void>] = [:]
    /// The search that was not abandoned.
    private var search: (host: Int, then: (Result<Found, Failure>) -> Void)?

    init(_ settings: BusSettings, on loop: EventLoop) {
        (hosts, self.loop) = (settings.mqtt.brokers, loop)
        tls = settings.mqtt.tls.isOn ? TLSFiles(settings.mqtt.tls) : nil
    }

    /// There is one search at a time.
    ///
    /// - Parameters:
    ///   - host: the place of the host in the settings.
    ///   - known: its addresses, if they needn't be looked up.
    ///   - then: called on the loop, unless the search is abandoned.
    func find(_ host: Int, known: [String]?, then: @escaping (Result<Found, Failure>) -> Void) {
        search = (host, then)
        guard workers[host] == nil else { return }
        do throws(LoopError) {
            let worker = try SerialWorker<Void>(name: "mqtt-connect", on: loop, idleTime: .zero) {}
            workers[host] = worker
            try worker.run({ [place = hosts[host], tls] _ in
                Self.found(place, tls, known)
            }) { [weak self] in self?.ended(host, $0) }
        } catch {
            ended(host, .failure(Failure(reason: "the system refuses a further thread: \(error)")))
        }
    }

    private func ended(_ host: Int, _ result: Result<Found, Failure>) {
        workers[host] = nil
        guard let search, search.host == host else { return }
        self.search = nil
        search.then(result)
    }

    /// Ends the search without waiting for a thread: a lookup may block for a long time. The next search for
    /// this host waits for the same lookup.
    func abandon() { search = nil }

    /// On the thread. The files may have been replaced since the last connection.
    private static func found(
        _ host: BrokerAddress, _ tls: TLSFiles?, _ known: [String]?
    ) -> Result<Found, Failure> {
        do throws(TLSFileError) {
            var context: TLSContext?
            if let tls { context = try TLSContext(tls, host: host.host) }
            if let known { return .success(Found(addresses: known, tls: context)) }
            return addresses(of: host).map { Found(addresses: $0, tls: context) }
        } catch {
            return .failure(Failure(reason: "\(error)"))
        }
    }

    /// In the order in which the resolver recommends them. Blocks while it asks name servers.
    private static func addresses(of host: BrokerAddress) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.host, nil, &hints, &list)
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
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let code = getnameinfo(
                entry.ai_addr, entry.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST)
            return code == 0 ? text.baseAddress.map { String(cString: $0) } : nil
        }
    }
}
