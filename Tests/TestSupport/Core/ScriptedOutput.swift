internal import Cameras
internal import Contract
package import Core

/// The device of a virtual camera for tests: it keeps what it is to show.
package final class ScriptedOutput: ActiveOutput {
    package let path: String
    /// The pictures that it was given, except ``Core/OutputPicture/nothing``.
    package private(set) var pictures: [OutputPicture] = []
    /// How often it was asked only whether it is read.
    package private(set) var polls = 0
    /// How often a picture under way was withdrawn.
    package private(set) var withdrawals = 0
    private weak var media: ScriptedMedia?

    init(at path: String, in media: ScriptedMedia) { (self.path, self.media) = (path, media) }

    package func show(_ picture: OutputPicture, then: @escaping (OutputReport) -> Void) {
        if case .nothing = picture { polls += 1 } else { pictures.append(picture) }
        media?.performLater(.output) { [weak self] error in
            guard let self, let media else { return }
            var isFrame = false
            if case .frame = picture { isFrame = true }
            then(
                error.map { .failed($0) }
                    ?? .shown(isRead: media.outputIsRead, isDamaged: isFrame && media.framesAreDamaged))
        }
    }

    package func withdrawPictures() { withdrawals += 1 }
}
