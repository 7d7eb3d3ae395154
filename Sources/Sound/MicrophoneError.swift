/// Why a microphone is silent.
package enum MicrophoneError: Error, Equatable, CustomStringConvertible {
    /// The library isn't installed.
    case missing(String)
    /// The device isn't there, is somebody else's, or has no sound of this kind.
    case unavailable(String)
    /// The device has gone, or gives nothing any more.
    case lost(String)

    package var description: String {
        switch self {
        case .missing(let words), .unavailable(let words), .lost(let words): words
        }
    }
}
