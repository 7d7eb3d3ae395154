/// Proxies in front of the console.
package struct ProxySettings: Sendable {
    /// Addresses of proxies whose headers are believed.
    var addresses: Set<String>
    /// The header in which a proxy names the user that it has authenticated: the name of a token.
    var userHeader: String?
    /// Whether requests that do not come from a proxy are refused.
    var isRequired: Bool

    package init(addresses: Set<String> = [], userHeader: String? = nil, isRequired: Bool = false) {
        (self.addresses, self.userHeader, self.isRequired) = (addresses, userHeader, isRequired)
    }
}
