internal import Base
internal import Glibc

/// Which requests of browsers are taken, by their headers `Host` and `Origin`.
///
/// Another site that a person visits can send requests to the console from the person's browser. Its `Origin`
/// is another one. A site can also give its own name the address of the console (DNS rebinding); then
/// `Origin` and `Host` are equal, and only the name tells. What needs no token is therefore reached only by
/// `localhost`, by addresses, and by names that the console was told.
package enum RequestRules {
    /// Whether a page of this origin may open a socket or ask for a cookie.
    ///
    /// - Parameters:
    ///   - origin: the header `Origin`; a browser always sends it with these requests.
    ///   - host: the header `Host`.
    static func isSameOrigin(_ origin: String?, host: String?) -> Bool {
        guard let origin, let host, !host.isEmpty,
            let scheme = ["http://", "https://"].first(where: origin.hasPrefix)
        else { return false }
        return authority(String(origin.dropFirst(scheme.count)), scheme)
            == authority(host, scheme)
    }

    /// A host and its port in lower case, without the default port of the scheme.
    private static func authority(_ text: String, _ scheme: String) -> String {
        let text = text.lowercased()
        let port = scheme == "http://" ? ":80" : ":443"
        return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }

    /// Whether a host is `localhost` or an address, with or without a port.
    static func isLocalName(host: String?) -> Bool {
        guard let host else { return false }
        guard !host.hasPrefix("[") else { return isIPv6InBrackets(host) }
        let end = host.firstIndex(of: ":") ?? host.endIndex
        guard isPort(host[end...]) else { return false }
        let name = host[..<end].lowercased()
        return name == "localhost" || isIPv4(name)
    }

    /// Whether a host is this machine itself.
    static func isLoopback(host: String?) -> Bool {
        host.map { isLocalName(host: $0) && isLoopback(name(of: $0)) } ?? false
    }

    /// Whether a name or an address is that of the loopback interface.
    package static func isLoopback(_ address: String) -> Bool {
        address == "localhost" || address == "::1" || (address.hasPrefix("127.") && isIPv4(address))
    }

    /// The name of a host in lower case, without a port and brackets.
    static func name(of host: String) -> String {
        let end = host.hasPrefix("[") ? host.firstIndex(of: "]") : host.firstIndex(of: ":")
        return host[..<(end ?? host.endIndex)].drop { $0 == "[" }.lowercased()
    }

    /// What a peer has for itself: an IPv4 address, or the first half of an IPv6 address.
    static func network(of address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        return withUnsafeBytes(of: bytes) { Hexadecimal.text(of: $0.prefix(8)) }
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: ":") && digits.allSatisfy(isDigit)
            && UInt16(text.dropFirst()) != nil
    }

    /// Whether a text is an address such as 192.168.1.20.
    package static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy(isDigit) }
    }

    /// Whether a text is the address of a network interface, without a network mask.
    package static func isAddress(_ text: String) -> Bool { isIPv4(text) || isIPv6(text[...]) }

    private static func isIPv6InBrackets(_ host: String) -> Bool {
        guard let end = host.firstIndex(of: "]") else { return false }
        return isPort(host[host.index(after: end)...])
            && isIPv6(host[host.index(after: host.startIndex)..<end])
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        text.contains(":")
            && text.utf8.allSatisfy {
                isDigit($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x3A || $0 == 0x2E
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
