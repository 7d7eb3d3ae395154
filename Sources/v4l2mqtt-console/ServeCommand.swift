internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import CLinux
internal import Contract
internal import Glibc
internal import Server

/// `v4l2mqtt-console serve`: serves the page until a signal.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the page (the default).")

    @Option(
        help: ArgumentHelp(
            "Where to listen. Other addresses than those of this machine need a token.",
            valueName: "address:port"))
    var listen = "127.0.0.1:8177"

    @Option(help: "The name of this console: the client in its preview leases.")
    var name = "console"

    @Option(
        help: ArgumentHelp(
            "The addresses of proxies whose headers are believed, separated by commas.",
            valueName: "addresses"))
    var trustedProxies: String?

    @Option(
        help: ArgumentHelp(
            "The header in which a trusted proxy names the user: the name of a token.", valueName: "header"))
    var userHeader: String?

    @Flag(
        help: "Take requests of trusted proxies only. Then no token is needed: the proxy authenticates users."
    )
    var proxyOnly = false

    @Option(
        help: ArgumentHelp(
            "A site that may show the page in a frame, such as https://home.example:8123, or self for the page's own origin. Can be given more than once.",
            valueName: "origin"))
    var frameAncestor: [String] = []

    @Option(
        help: ArgumentHelp(
            "Open connections of one address at once, 1 to 256: browsers behind one router share it.",
            valueName: "count"))
    var connectionsPerAddress = 64

    private var proxies: [String] { (trustedProxies ?? "").split(separator: ",").map { $0.trimming(" ") } }

    @OptionGroup var folder: StateFolder
    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard Topics.isName(name) else { throw ValidationError("--name is 1 to 64 of a-z, 0-9, _ and -.") }
        guard ListenAddress(listen) != nil else {
            throw ValidationError("--listen is an address and a port, such as 127.0.0.1:8177 or [::]:8177.")
        }
        guard trustedProxies != nil || (userHeader == nil && !proxyOnly) else {
            throw ValidationError("--user-header and --proxy-only need --trusted-proxies.")
        }
        guard (1...256).contains(connectionsPerAddress) else {
            throw ValidationError("--connections-per-address is 1 to 256.")
        }
        guard proxies.allSatisfy(RequestRules.isAddress) else {
            throw ValidationError("--trusted-proxies has IP addresses, without names and networks.")
        }
        guard frameAncestor.allSatisfy({ Self.source(ofFrames: $0) != nil }) else {
            throw ValidationError("--frame-ancestor is self, or an origin such as https://home.example:8123.")
        }
    }

    func run() throws { try ExitStatus.after(serve) }

    private func serve() throws {
        guard let place = ListenAddress(listen) else { return }
        // Before the file is read: a change while the server starts is noticed.
        var changed = folder.tokensChanged
        let tokens = try folder.tokens()
        // A proxy brings requests of others to this machine.
        // The user that a proxy names is the name of a token.
        let isPrivate = proxyOnly || (Self.isLoopback(place.address) && trustedProxies == nil)
        let mayBeOpen = isPrivate && userHeader == nil
        if tokens.isEmpty, !mayBeOpen {
            let condition =
                userHeader != nil
                ? "with --user-header"
                : trustedProxies == nil ? "on this address" : "behind a proxy without --proxy-only"
            printError(
                "--listen \(listen): \(condition) each device needs a token: v4l2mqtt-console token NAME")
            throw ExitStatus.usage
        }
        var signals = StopSignals()
        let server = try start(tokens, place, mayBeOpen: mayBeOpen)
        printLine("\(place.url(port: server.port))")
        var current = tokens
        while !signals.wait(seconds: 1) {
            let now = folder.tokensChanged
            guard now?.tv_sec != changed?.tv_sec || now?.tv_nsec != changed?.tv_nsec else { continue }
            changed = now
            update(&current, server)
        }
        server.stop()
    }

    private func start(
        _ tokens: TokenList, _ place: ListenAddress, mayBeOpen: Bool
    ) throws -> ConsoleServer {
        let clientID = "v4l2mqtt-\(name)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        var settings = try broker.settings(clientID: clientID)
        settings.faultFile = folder.faultFile
        let account = broker.username.flatMap { Topics.isName($0) ? $0 : nil }
        var options = ServerOptions(
            address: place.address, port: place.port, mayBeOpen: mayBeOpen,
            proxies: ProxySettings(addresses: Set(proxies), userHeader: userHeader, isRequired: proxyOnly),
            frameAncestors: frameAncestor.compactMap(Self.source(ofFrames:)))
        options.connectionsPerAddress = connectionsPerAddress
        options.log = { printError("\($0)") }
        let console = ConsoleSettings(
            baseTopic: broker.baseTopic, name: name, account: account, clientID: clientID,
            usesResponseTopic: broker.isV5, version: programVersion)
        do {
            return try ConsoleServer(
                console, options, broker: settings, tokens: tokens, key: try folder.key()
            ) { event in
                if let line = event.logLine { printError("\(line)") }
            }
        } catch let error where !(error is StorageError || error is BusError) {
            printError("--listen \(listen): \(error)")
            throw ExitStatus.unavailable
        }
    }

    /// Puts the tokens into effect that are in the file now. A file that can't be used changes nothing.
    private func update(_ current: inout TokenList, _ server: ConsoleServer) {
        do {
            let tokens = try folder.tokens()
            guard tokens != current else { return }
            current = tokens
            server.set(tokens)
            if tokens.isEmpty {
                printError(
                    "warning: the last token was removed: no request is admitted until there is a new one")
            } else {
                printError("info: the tokens have changed")
            }
        } catch {
            printError("warning: the tokens stay as they are: \(error)")
        }
    }

    // MARK: Addresses

    private static func isLoopback(_ address: String) -> Bool {
        address == "localhost" || address == "::1"
            || (address.hasPrefix("127.") && RequestRules.isIPv4(address))
    }

    /// A site of `--frame-ancestor` as Content-Security-Policy names it: a scheme, a host and perhaps a port;
    /// nil: it is no site.
    private static func source(ofFrames text: String) -> String? {
        if text == "self" { return "'self'" }
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let host = text.dropFirst(scheme.count).unicodeScalars
        // It goes into a header.
        let isOrigin = host.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-:[]*".unicodeScalars.contains($0))
        }
        return !host.isEmpty && isOrigin ? text : nil
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
