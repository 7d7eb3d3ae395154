import Glibc

@testable import MQTTBus

/// The socket of a broker that accepts each connection and answers with the bytes of an input.
private let listener: (descriptor: Int32, port: Int) = {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            expect(bind(descriptor, $0, length) == 0, "no port")
            expect(getsockname(descriptor, $0, &length) == 0, "no port")
        }
    }
    expect(listen(descriptor, 16) == 0, "no port")
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}()

/// Receives more than any input has, and less than one of its lengths may announce.
private let limit: UInt32 = 8192

/// The bytes of a hostile broker, from CONNACK on. The first byte chooses the version of MQTT.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let settings = BusSettings(
        host: "127.0.0.1", port: listener.port, clientID: "fuzz", maxPacketSize: limit)
    guard let connection = try? Connection(settings, start[0] & 1 == 0 ? .v5 : .v311) else { return 0 }
    let broker = withoutTimer {
        let socket = try? SocketAddress.lookup(settings.hosts[0]).get()[0].connect().get()
        expect(socket != nil, "no socket: error \(errno)")
        let broker = accept(listener.descriptor, nil, nil)
        let failure = connection.open(socket ?? -1, to: settings.hosts[0])
        expect(failure == nil, "no connection: \(failure ?? "")")
        return broker
    }
    expect(broker >= 0, "the connection is not accepted: error \(errno)")
    defer { close(broker) }
    // A reset frees the port immediately.
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(broker, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    expect(write(broker, start + 1, count - 1) == count - 1, "the socket takes less than an input")
    shutdown(broker, Int32(SHUT_WR))
    connection.subscribe(to: BusFilter("a", .newOnly))
    // Each call reads one packet, or as much as there is.
    for _ in 0..<count + 8 {
        guard connection.descriptor != nil else { break }
        connection.read()
        if connection.wantsToWrite { connection.write() }
        while let event = connection.takeEvent() { check(event) }
    }
    connection.disconnect()
    return 0
}

/// Calls `body` while the timer of libFuzzer waits: for `-timeout` it sends SIGALRM every few seconds, and
/// `connect` would end with EINTR. In the agent no signal reaches the thread that connects (`Thread`).
private func withoutTimer<Result>(_ body: () -> Result) -> Result {
    var (timer, before) = (sigset_t(), sigset_t())
    sigemptyset(&timer)
    sigaddset(&timer, SIGALRM)
    pthread_sigmask(SIG_BLOCK, &timer, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}

private func check(_ event: Connection.Event) {
    guard case .message(let message) = event else { return }
    expect(message.payload.count <= Int(limit), "a packet of \(message.payload.count) bytes was received")
    expect(!message.topic.utf8.contains(0), "a topic with a zero byte")
}
