internal import Base
internal import BrokerOptions
internal import CLinux
internal import Glibc

/// The demo's console. It ends with the demo.
struct DemoConsole {
    /// The port that the documents name. If another program listens there, it is another one.
    private static let usualPort = 8177

    private let process: BoundProcess
    private let port: Int
    private let isForPhone: Bool

    /// Starts the console, if the program is there.
    ///
    /// - Parameters:
    ///   - broker: the port of the broker.
    ///   - folder: for its log and its tokens.
    ///   - forPhone: it listens in the network, for a device with a token.
    /// - Throws: an exit code, after printing why.
    init?(broker: Int, folder: String, forPhone: Bool) throws {
        guard let program = ConsoleCommand.besideThis else {
            printError("warning: there is no page: \(ConsoleCommand.missing)")
            return nil
        }
        let log = clinux_make_file_anew("\(folder)/console.log", Files.mode)
        guard log >= 0 else {
            printError("\(folder) can't be written to")
            throw ExitStatus.defect
        }
        defer { close(log) }
        let tokens = "\(folder)/console"
        port = clinux_is_listening(Int32(Self.usualPort)) == 1 ? try Broker.freePort() : Self.usualPort
        isForPhone = forPhone
        if forPhone { try Self.printToken(program, tokens, "http://\(try Self.networkAddress()):\(port)/") }
        process = try Broker.start(
            [
                program, "--listen", "\(forPhone ? "0.0.0.0" : "127.0.0.1"):\(port)", "--port", "\(broker)",
                "--state-dir", tokens,
            ], log: log)
    }

    /// Prints where the page is. The link for a phone was printed before.
    func printAddress() {
        if !isForPhone { printLine("The page to pinch: http://localhost:\(port)/") }
    }

    func end() { process.end() }

    /// Makes the token of the phone. The program prints the link and its code.
    private static func printToken(_ program: String, _ folder: String, _ url: String) throws {
        printLine("The page for a phone in the same network; its camera reads the code:")
        let words = [program, "token", "phone", "--role", "manage", "--url", url, "--state-dir", folder]
        try Broker.start(words, log: STDOUT_FILENO).wait()
    }

    private static func networkAddress() throws -> String {
        guard let address = NetworkAddress.ofThisMachine else {
            printError("--phone: this machine has no address in a network")
            throw ExitStatus.unavailable
        }
        return address
    }
}
