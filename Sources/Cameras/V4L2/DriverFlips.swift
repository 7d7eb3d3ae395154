/// The controls of a driver that turn and mirror the picture. Pure.
struct DriverFlips: Sendable, Equatable {
    /// Values of V4L2_CID_HFLIP, V4L2_CID_VFLIP and V4L2_CID_ROTATE (degrees clockwise); nil: the device
    /// doesn't have the control.
    var horizontal: Bool?
    var vertical: Bool?
    var rotation: Int?

    /// What they do to the picture.
    var orientation: Orientation {
        Orientation(quarterTurns: (rotation ?? 0) / 90)
            .then(horizontal == true ? .mirrored : .upright)
            .then(vertical == true ? .flipped : .upright)
    }

    /// The values that make as much of an orientation as the present controls can: all of it, or nothing.
    ///
    /// Quarter turns are left to the agent: those of a driver exchange the sides of its formats, each
    /// driver's in its own way.
    func wanted(for orientation: Orientation) -> DriverFlips {
        for rotation in [0, 180] {
            for horizontal in [false, true] {
                for vertical in [false, true] {
                    let values = with(horizontal: horizontal, vertical: vertical, rotation: rotation)
                    if values.orientation == orientation { return values }
                }
            }
        }
        return with(horizontal: false, vertical: false, rotation: 0)
    }

    /// Values of the controls that there are.
    private func with(horizontal: Bool, vertical: Bool, rotation: Int) -> DriverFlips {
        DriverFlips(
            horizontal: self.horizontal.map { _ in horizontal },
            vertical: self.vertical.map { _ in vertical },
            rotation: self.rotation.map { _ in rotation })
    }
}
