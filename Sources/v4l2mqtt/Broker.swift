internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import CLinux
internal import Glibc

/// The demo's mosquitto, which listens on loopback only. It ends with the demo, however that ends.
struct Broker {
    private let process: BoundProcess

    /// Starts mosquitto and waits until it listens. A port where another program listens is refused: clients
    /// would use that program's broker.
    init(port: Int, folder: String) throws {
        guard !Self.isListening(port) else {
            printError("--port: another program listens on port \(port) already")
            throw ExitStatus.usage
        }
        let settings = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            set_tcp_nodelay true
            user \(Self.userName)
            """
        let path = "\(folder)/mosquitto.conf"
        let log = clinux_make_file_anew("\(folder)/mosquitto.log", Files.mode)
        guard log >= 0, (try? Files.write(Array(settings.utf8), to: path)) != nil else {
            printError("\(folder) can't be written to")
            throw ExitStatus.defect
        }
        defer { close(log) }
        // Debian installs it in /usr/sbin, which is only in root's PATH.
        let program = access("/usr/sbin/mosquitto", X_OK) == 0 ? "/usr/sbin/mosquitto" : "mosquitto"
        process = try Self.start([program, "-c", path], log: log)
        var isRunning = true
        for _ in 0..<100 {
            isRunning = process.isRunning
            if !isRunning { break }
            if Self.isListening(port) { return }
            usleep(20_000)
        }
        if isRunning { end() }
        printError("mosquitto doesn't start; is it installed (apt-get install mosquitto)?")
        if let words = try? Files.read("\(folder)/mosquitto.log") {
            printErrors(of: String(decoding: words, as: UTF8.self))
        }
        throw ExitStatus.unavailable
    }

    func end() { process.end() }

    /// Starts a program that ends with the demo.
    static func start(_ words: [String], log: Int32) throws -> BoundProcess {
        do throws(LoopError) {
            return try BoundProcess(words, log: log)
        } catch {
            printError("\(words[0]) can't be started: \(error)")
            throw ExitStatus.defect
        }
    }

    /// A port of loopback on which no program listens.
    static func freePort() throws -> Int {
        let port = clinux_free_port()
        guard port > 0 else {
            printError("no free port: \(String(cString: strerror(-port)))")
            throw ExitStatus.defect
        }
        return Int(port)
    }

    private static func isListening(_ port: Int) -> Bool { clinux_is_listening(Int32(port)) == 1 }

    /// Started as root, mosquitto would change to another user, and would then outlive this process.
    private static var userName: String {
        guard let user = getpwuid(getuid()) else { return "root" }
        return String(cString: user.pointee.pw_name)
    }
}
