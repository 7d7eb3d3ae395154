internal import Cameras
internal import Contract
internal import Settings

extension SavedDevice {
    /// A device that is open.
    init(_ description: CameraDescription, _ controls: [Control]) {
        (model, bus, serial) = (description.model, description.bus, description.serial)
        (position, kind) = (description.position?.rawValue, description.kind?.rawValue)
        orientation = description.orientation.map {
            .init(
                rotation: $0.total.quarterTurns * 90, mirrored: $0.total.isMirrored,
                driver: $0.remaining == .upright)
        }
        actuators = description.actuators
        opticalMax = description.opticalMax
        formats = description.formats.map {
            .init(pixelFormat: $0.pixelFormat, width: $0.width, height: $0.height, fps: $0.rates)
        }
        qualities = description.qualities
        self.controls = controls.map(\.descriptor)
        privacy = controls.first(where: \.isPrivacy).map {
            .init(control: $0.name, access: $0.isReadOnly ? .readOnly : .settable)
        }
    }
}
