internal import Glibc
internal import NIOCore

/// Why a server cannot listen at its address.
package struct ListenError: Error, CustomStringConvertible {
    package let description: String

    init(_ error: any Error, at address: String, _ port: Int) {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            description =
                "another program listens on port \(port); choose another one, such as \(port < 65_535 ? port + 1 : 8177)"
        case EADDRNOTAVAIL: description = "this machine does not have the address \(address)"
        case EACCES: description = "ports below 1024 need rights; choose another one, such as 8177"
        default: description = "\(error)"
        }
    }
}
