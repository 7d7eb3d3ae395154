import Base
import NIOHTTP1

@testable import Bus
@testable import Contract
@testable import Server

/// A camera of an agent, from a text such as `porch/door`.
func camera(_ text: String) -> CameraAddress {
    guard let camera = CameraAddress(text) else { preconditionFailure("no camera: \(text)") }
    return camera
}

func token(
    _ name: String, _ role: Role = .control, cameras: [String] = ["*"], use: AccessToken.Use = .page
) -> (token: AccessToken, secret: String) {
    do {
        return try AccessToken.make(name: name, role: role, cameras: cameras, use: use)
    } catch {
        preconditionFailure("\(error)")
    }
}

/// An answer of an agent.
///
/// - Parameter id: of the command; nil: an agent need not name it where there are correlation data.
func reply(_ status: String, to id: String? = nil) -> String {
    let fields: JSONObject = [
        "id": id.map(JSON.text), "status": .text(status), "boot": .integer(1),
        "ts": .text("2026-11-28T00:00:00.000Z"),
    ]
    return String(decoding: JSON.bytes(JSON.object(fields)), as: UTF8.self)
}

func list(_ tokens: AccessToken...) -> TokenList {
    var list = TokenList()
    for token in tokens { list.set(token) }
    return list
}

/// A request that has these headers.
func source(_ headers: [(String, String)], peer: String, _ options: RequestOptions) -> RequestSource {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders(headers))
    return RequestSource(head, peer: peer, port: 8177, options)
}

/// The error that an action throws; nil: it throws none.
func pageError(_ action: () throws(PageError) -> Void) -> PageError? {
    do throws(PageError) {
        try action()
        return nil
    } catch {
        return error
    }
}

/// A generator with a fixed seed (SplitMix64).
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
