internal import Base
package import Settings

/// A V4L2 device that is present and can be opened.
package struct FoundDevice: Sendable, Equatable {
    package var path: String
    package var driver = ""
    package var model = ""
    /// The place on the bus.
    package var bus = ""
    /// Empty if it has none.
    package var serial = ""
    /// The number of the node among those of the device.
    var index = 0
    /// Its links under /dev/v4l, and other nodes that are the same camera.
    package var links: [String] = []
    /// What kind of camera it is, and where it points. Nil: unknown.
    package var kind: CameraKind?
    package var position: CameraPosition?
    /// How the sensor is mounted: the picture is upright when it is turned counterclockwise by this angle, in
    /// degrees (V4L2_CID_CAMERA_SENSOR_ROTATION). Nil: unknown.
    package var sensorRotation: Int?

    /// Whether no other device has the same serial number, model and index. Some makers give all cameras one
    /// number.
    var isOnlyOne = true

    /// Whether libcamera's layer may have a camera here, but began before the device came, or while another
    /// program had it: the layer has to begin again, with the process.
    package var cameAfterLayer = false

    /// Whether it is a device of v4l2loopback, which shows what another program writes to it. It is a camera
    /// only if the configuration names it.
    package var isLoopback: Bool { driver == "v4l2 loopback" }

    /// Whether it is the same device as one that was found before, whatever its number: by its serial number,
    /// or if that is not unique by its place on the bus.
    package func isSame(as other: FoundDevice) -> Bool {
        guard serial == other.serial, model == other.model, index == other.index else { return false }
        return bus == other.bus || (!serial.isEmpty && isOnlyOne && other.isOnlyOne)
    }

    /// Whether this path, which may be a link, leads to it.
    func isAt(_ place: String) -> Bool {
        path == place || links.contains(place) || Files.realPath(place) == path
    }
}

extension [FoundDevice] {
    /// All but the devices to which this program writes pictures, or will do so.
    ///
    /// - Parameter outputs: their paths, which may be links.
    package func without(_ outputs: Set<String>) -> [FoundDevice] {
        filter { device in !outputs.contains { device.isAt($0) } }
    }
}
