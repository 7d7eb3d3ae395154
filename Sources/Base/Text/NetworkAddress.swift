internal import Glibc

/// The name and the address by which others in its network reach this machine.
package enum NetworkAddress {
    /// This machine's name. Empty if it has none.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The IPv4 address from which this machine would reach others; nil: it is in no network. Nothing is
    /// sent.
    package static var ofThisMachine: String? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        // An address for documentation (RFC 5737): only the route to it matters.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(9).bigEndian
        inet_pton(AF_INET, "192.0.2.1", &address.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isRouted = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        guard isRouted, inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
