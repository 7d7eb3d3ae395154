internal import Contract
internal import Core

extension EncodingFailure {
    /// - Parameter message: what couldn't be made of the frame, and why.
    init(_ error: ImagingError, _ message: String) {
        self.init(CommandError(.device, message), isOfFrame: error.isOfPicture)
    }
}
