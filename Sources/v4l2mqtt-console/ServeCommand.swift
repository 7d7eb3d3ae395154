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
            "Where to listen. On another address than those of this machine, each device needs a token.",
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

    @Flag(
        help:
            "This machine (localhost) needs no token, also if the console listens elsewhere or is behind a proxy."
    )
    var openLocalhost = false

    @Option(
        help: ArgumentHelp(
            "A name by which browsers reach the console without a token, such as that of the site of a proxy on this machine. Can be given more than once.",
            valueName: "name"))
    var publicHost: [String] = []

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
        try broker.requireV5()
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
        let tokens = try folder.tokens()
        let requests = RequestOptions(
            proxies: Set(proxies), userHeader: userHeader, isForProxiesOnly: proxyOnly,
            publicHosts: publicHost, listensElsewhere: !RequestRules.isLoopback(place.address),
            opensLocalhost: openLocalhost)
        if tokens.isEmpty, !requests.localhostIsOpen, !requests.opensProxies {
            let condition =
                userHeader != nil
                ? "with --user-header"
                : trustedProxies == nil ? "on this address" : "behind a proxy without --proxy-only"
            printError(
                "--listen \(listen): \(condition) each device needs a token: v4l2mqtt-console token NAME")
            throw ExitStatus.usage
        }
        var signals = StopSignals()
        let server = try start(tokens, place, requests)
        printLine("\(place.url(port: server.port))")
        signals.wait()
        server.stop()
    }

    private func start(
        _ tokens: TokenList, _ place: ListenAddress, _ requests: RequestOptions
    ) throws -> ConsoleServer {
        let clientID = "v4l2mqtt-\(name)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        var settings = broker.settings(clientID: clientID)
        settings.faultFile = folder.faultFile
        let account = broker.username.flatMap { Topics.isName($0) ? $0 : nil }
        var options = ServerOptions(at: place, requests)
        options.frameAncestors = frameAncestor.compactMap(Self.source(ofFrames:))
        options.connectionsPerAddress = connectionsPerAddress
        options.log = { printError("\($0)") }
        let folder = folder
        options.hidden = try folder.hidden()
        options.storeHidden = { folder.store(hidden: $0) }
        options.readTokens = { folder.tokens(insteadOf: &$0) }
        let console = ConsoleSettings(
            baseTopic: broker.baseTopic, name: name, account: account, clientID: clientID,
            version: programVersion)
        return try ConsoleServer(
            console, options, broker: settings, tokens: tokens, changed: ConsoleProgram.note)
    }

    // MARK: Addresses

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
