internal import Base
internal import CAV
internal import Glibc

/// Why a movie can't be begun, or can't go on.
enum MovieError: Error, Equatable, CustomStringConvertible {
    /// A library isn't installed, or isn't the one that we were built for.
    case missing(String)
    /// The disk, the quota, or the greatest size of a file is used up. What was written before is kept.
    case full(String)
    /// The file can't be written for another reason.
    case disk(String)
    /// An encoder or the file's format failed.
    case codec(String)
    /// A hardware encoder has failed after it had given pictures: another encoder can take over in another
    /// file.
    case encoder(String)
    /// A format was requested, or a picture or sound was added, that a movie can't have.
    case unsupported(String)

    var description: String {
        switch self {
        case .missing(let words), .full(let words), .disk(let words), .codec(let words),
            .encoder(let words), .unsupported(let words):
            words
        }
    }

    /// Of a system call on a file.
    init(doing: String, path: String, code: Int32) {
        let words = "can't \(doing) \(path): \(String(cString: strerror(code)))"
        self = Self.isFull(code) ? .full(words) : .disk(words)
    }

    init(_ error: FileError) { self.init(doing: error.doing, path: error.path, code: error.code) }

    /// Whether a call failed because there was no space left.
    static func isFull(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    /// Of a function of the libraries.
    init(doing: String, error: Int32) {
        var words = cav_message()
        cav_describe_error(error, &words)
        self = .codec("can't \(doing): \(String(ofC: words.text))")
    }
}
