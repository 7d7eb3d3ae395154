internal import Base
internal import CLinux
internal import CV4L2
internal import Glibc
internal import Settings

/// What the drivers report of a camera's place in the machine.
struct SensorPlacement: Sendable, Equatable {
    /// The control V4L2_CID_CAMERA_ORIENTATION.
    var position: CameraPosition?
    /// V4L2_CID_CAMERA_SENSOR_ROTATION, in degrees.
    var rotation: Int?

    private init(controlsOf descriptor: Int32) {
        func read(_ control: UInt32) -> Int64? {
            var value: Int64 = 0
            return cv4l2_read_control(descriptor, control, &value) == 0 ? value : nil
        }
        position = read(cv4l2_camera_orientation).flatMap(Self.position)
        rotation = read(cv4l2_camera_sensor_rotation).flatMap(Self.rotation)
    }

    /// - Parameters:
    ///   - device: the device that captures.
    ///   - media: its media controller, if it has one: then the controls can be those of its only sensor,
    ///     which has a node of its own.
    init(of device: V4L2Device, _ media: MediaController?) {
        self.init(controlsOf: device.descriptor)
        guard position == nil || rotation == nil, let node = media?.sensorNode else { return }
        let sensor = clinux_open(node, O_RDWR | O_NONBLOCK, 0)
        guard sensor >= 0 else { return }
        defer { close(sensor) }
        let found = SensorPlacement(controlsOf: sensor)
        (position, rotation) = (position ?? found.position, rotation ?? found.rotation)
    }

    static func position(_ value: Int64) -> CameraPosition? {
        switch value {
        case 0: .front
        case 1: .back
        case 2: .external
        default: nil
        }
    }

    /// Angles that no rotation in quarter turns corrects are unknown.
    static func rotation(_ value: Int64) -> Int? {
        (0..<360).contains(value) && value % 90 == 0 ? Int(value) : nil
    }
}

/// The media controller of a video device: what it reports of the whole device.
struct MediaController: Sendable {
    /// Empty: it reports none.
    let model, serial, bus: String
    /// The node of the sensor, such as `/dev/v4l-subdev0`; nil: there is none, or several.
    let sensorNode: String?

    private static let maximumEntities = 256
    /// MEDIA_ENT_F_CAM_SENSOR.
    private static let sensorType: UInt32 = 0x2_0001

    /// - Parameter name: of the video device, such as `video0`.
    init?(ofNode name: String) {
        let device = "/sys/class/video4linux/\(name)/device"
        guard let media = DeviceScan.entries(of: device).filter({ $0.hasPrefix("media") }).sorted().first
        else { return nil }
        let descriptor = clinux_open("/dev/" + media, O_RDWR, 0)
        guard descriptor >= 0 else { return nil }
        defer { clinux_close_by_system_call(descriptor) }
        var found = cv4l2_media_device()
        guard cv4l2_media_device(descriptor, &found) == 0 else { return nil }
        (model, serial, bus) = (deviceText(found.model), deviceText(found.serial), deviceText(found.bus))
        var sensors: [String] = []
        var entity = cv4l2_media_entity()
        for _ in 0..<Self.maximumEntities {
            let last = entity.id
            guard cv4l2_media_entity(descriptor, last, &entity) == 0, entity.id > last else { break }
            guard entity.type == Self.sensorType, entity.major != 0,
                let place = Files.realPath("/sys/dev/char/\(entity.major):\(entity.minor)"),
                let name = place.split(separator: "/").last
            else { continue }
            sensors.append("/dev/\(name)")
        }
        sensorNode = sensors.count == 1 ? sensors[0] : nil
    }
}
