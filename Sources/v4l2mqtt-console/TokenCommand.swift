internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Contract
internal import Server

/// `v4l2mqtt-console token`: makes or removes the token of a device.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Makes the token of a device, and prints the link for it.",
        discussion: """
            The link is shown once: the console keeps only a hash. A token of the same name is replaced. A running console \
            applies changes within two seconds, and closes the pages of tokens that were removed or replaced.
            """)

    @Argument(help: "The name of the device, such as kitchen-tablet: the client in commands.")
    var name: String

    @Option(help: "What it may do: look, control or manage; or metrics: read them, and nothing else.")
    var role = Role.control

    @Option(
        help: ArgumentHelp(
            "Which cameras exist for it, such as 'porch/*'. Can be given more than once.",
            valueName: "pattern"))
    var cameras: [String] = []

    @Flag(
        help:
            "The token is for the addresses live/… and snapshot/… of recorders and dashboards: it shows pictures only."
    )
    var lookURL = false

    @Flag(help: "Remove the token.")
    var remove = false

    @Option(help: "The address of the page, for the link; default: this machine in its network, port 8177.")
    var url: String?

    @OptionGroup var folder: StateFolder

    func run() throws {
        try ExitStatus.after {
            if remove {
                try folder.changeTokens { tokens in
                    guard tokens.remove(name) else {
                        printError("there is no token \(name)")
                        throw ExitStatus.usage
                    }
                }
                return printLine("the token \(name) is removed")
            }
            let use: AccessToken.Use = lookURL ? .url : role == .metrics ? .metrics : .page
            let (token, secret) = try AccessToken.make(
                name: name, role: lookURL ? .look : role, cameras: cameras.isEmpty ? ["*"] : cameras,
                use: use)
            try folder.changeTokens { $0.set(token) }
            let url = url ?? "http://\(NetworkAddress.ofThisMachine ?? "localhost"):8177/"
            let base = url.hasSuffix("/") ? url : "\(url)/"
            switch use {
            case .url:
                printLine("\(base)live/AGENT/CAMERA?token=\(secret)")
                printLine("\(base)snapshot/AGENT/CAMERA?token=\(secret)")
            case .metrics:
                printLine("\(base)metrics")
                printLine("Authorization: Bearer \(secret)")
            case .page:
                printLine("\(base)#t=\(secret)")
                QRCode.print("\(base)#t=\(secret)")
            }
        }
    }
}

extension Role: ExpressibleByArgument {}

/// `v4l2mqtt-console tokens`: lists the tokens.
struct TokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tokens", abstract: "Lists the tokens.")

    @OptionGroup var folder: StateFolder

    func run() throws {
        try ExitStatus.after {
            for token in try folder.tokens().tokens {
                let use =
                    switch token.use {
                    case .page: "pages"
                    case .url: "addresses"
                    case .metrics: "metrics"
                    }
                printLine(
                    "\(token.name)  \(token.role.rawValue)  \(use)  \(token.cameras.joined(separator: " "))")
            }
        }
    }
}
