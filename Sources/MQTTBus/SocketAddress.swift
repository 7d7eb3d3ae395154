internal import Glibc

/// The address of a TCP port.
struct SocketAddress: Sendable {
    /// Why a name has no addresses, in the words of the system.
    struct LookupError: Error { let reason: String }

    /// Why a socket could not be made or connected: a value of `errno`.
    struct SocketError: Error { let code: Int32 }

    private let family: Int32
    /// A `sockaddr` of this family.
    private let bytes: [UInt8]

    /// All addresses of a host, in the order in which the resolver recommends them. Blocks while it asks name
    /// servers.
    static func lookup(_ host: BrokerHost) -> Result<[SocketAddress], LookupError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.name, "\(host.port)", &hints, &list)
        guard code == 0 else {
            let reason =
                code == EAI_SYSTEM ? strerror(errno) : UnsafeMutablePointer(mutating: gai_strerror(code))
            return .failure(LookupError(reason: reason.map { String(cString: $0) } ?? "error \(code)"))
        }
        defer { freeaddrinfo(list) }
        let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            entry.flatMap { SocketAddress($0.pointee) }
        }
        return found.isEmpty ? .failure(LookupError(reason: "the name has no address")) : .success(found)
    }

    private init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        family = entry.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }

    /// Makes a socket that connects to the address without blocking. It is writable when it has connected or
    /// failed (``pendingError(of:)``).
    func connect() -> Result<Int32, SocketError> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return .failure(SocketError(code: errno)) }
        let code = bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                Glibc.connect(descriptor, address.baseAddress, socklen_t(bytes.count))
            }
        }
        if code != 0 && errno != EINPROGRESS {
            let error = SocketError(code: errno)
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    /// Why a socket of ``connect()`` could not connect; nil: it has connected, or has not finished
    /// (``isConnected(_:)``).
    static func pendingError(of descriptor: Int32) -> SocketError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout.size(ofValue: code))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return SocketError(code: errno)
        }
        return code == 0 ? nil : SocketError(code: code)
    }

    static func isConnected(_ descriptor: Int32) -> Bool {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        return withUnsafeMutablePointer(to: &peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length) == 0
            }
        }
    }
}
