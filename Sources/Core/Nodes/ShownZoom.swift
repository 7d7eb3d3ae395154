internal import Cameras
internal import ZoomModel

/// The zoom that is shown of one frame: the view of the model when the frame came, on what the lens saw at
/// its exposure.
struct ShownZoom {
    /// The factor of the lens at the exposure.
    let optical: Double
    let digital: Double
    /// In fractions of what the lens saw.
    let viewport: Viewport
    /// The camera's last change before.
    let rev: Int

    var factor: Double { optical * digital }

    /// The part of the frame's picture that is shown.
    func view(on frame: Frame) -> Region { frame.field.part(viewport.forPictures) }
}

extension ZoomNode {
    /// What of a frame is shown, if it is cut out now.
    func shown(on frame: Frame) -> ShownZoom {
        let zoom = model.snapshot
        // A simulated lens sees a part of the picture. Of another one there is only what was read back last.
        let optical = frame.field == .whole ? zoom.optical : 1 / frame.field.width
        return ShownZoom(optical: optical, digital: zoom.digital, viewport: zoom.viewport, rev: rev)
    }
}
