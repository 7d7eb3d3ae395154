/// How a V4L2 device is used.
package struct DeviceSettings: Sendable, Equatable {
    /// All keys have their defaults.
    package static let standard = DeviceSettings()

    /// The largest frame size that is used, in pixels, 16 to 16,384.
    package var width = 1_920
    package var height = 1_080
    /// The frame rate that is requested, in frames per second, 1 to 1,000.
    package var rate = 30.0
    /// A pixel format by its four letters, such as `MJPG`. Nil: the best one that the device has.
    package var pixelFormat: String?
    /// The input of a device with several, 0 to 31. Nil: the present one.
    package var input: Int?
    package var stream = StreamPolicy.onDemand
    /// Zoom factors at some of the lens's positions: both rise. Empty, or at least two points.
    package var calibration: [CalibrationPoint] = []
    /// For a lens with a speed control and no position control: its slowest speed, in octaves (powers of two)
    /// per second, 0.01 to 100, and its longest factor, 1.01 to 100. Such a lens is used when both are set.
    package var continuousRate: Double?
    package var continuousMaximum: Double?
}

/// When frames are read from a device.
package enum StreamPolicy: String, CaseIterable, Sendable {
    /// Only while frames are needed, so that other programs can use the device.
    case onDemand = "on_demand"
    case always
}

/// A position of a lens in the device's own units, and the zoom factor there.
package struct CalibrationPoint: Sendable, Equatable {
    /// The value of V4L2_CID_ZOOM_ABSOLUTE, -1,000,000 to 1,000,000.
    package var raw: Int64
    /// 0.01 to 1,000.
    package var factor: Double

    package init(raw: Int64, factor: Double) { (self.raw, self.factor) = (raw, factor) }
}

/// How a simulated camera behaves.
package struct SimulationSettings: Sendable, Equatable {
    /// The longest factor of the lens, 1 to 100. The rest of the zoom is digital.
    package var opticalMaximum = 2.0
    /// Octaves (powers of two) per second, 0 to 100. 0: the lens moves immediately.
    package var lensSpeed = 0.0
    /// How long each write to a control takes, 0 to 10 s.
    package var writeLatency = Duration.zero
    /// Frames per second, 1 to 120.
    package var frameRate = 30
    /// The size of a frame in pixels: even, 16 to 8,192. Nil, not configured: the size of the camera's image,
    /// or 1920×1080 for the generated scene.
    package var width: Int?
    package var height: Int?
    package var scene = SimulatedScene.chart
    /// The diameter of an object that moves over the generated scene, in fractions of the frame's height,
    /// 0.01 to 0.5. Nil: nothing moves.
    package var objectSize: Double?
    /// The time in which the object goes round once, in seconds, 1 to 3,600.
    package var objectPeriod = 20.0
    package var fault = SimulatedFault.none
}

/// What a simulated camera shows without an image.
package enum SimulatedScene: String, CaseIterable, Sendable {
    /// Labelled cells, in which the colour encodes the position.
    case chart
    /// A house, a lake and a fence, with small things to find.
    case garden
}

/// A defect that a simulated camera has, for tests.
package enum SimulatedFault: String, CaseIterable, Sendable {
    case none
    /// The lens refuses every request.
    case writeError = "write_error"
    /// Every request for a frame fails.
    case frameError = "frame_error"
    /// The driver refuses every change of its mode.
    case modeError = "mode_error"
}
