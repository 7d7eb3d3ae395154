/// Why a microphone gives no sound.
enum MicrophoneError: Error, Equatable, CustomStringConvertible {
    /// The library isn't installed.
    case missing(String)
    /// The device does not exist, is in use, or does not support this format.
    case unavailable(String)
    /// The device has gone, or gives nothing any more.
    case lost(String)

    var description: String {
        switch self {
        case .missing(let words), .unavailable(let words), .lost(let words): words
        }
    }
}
