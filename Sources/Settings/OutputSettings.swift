/// A virtual camera: a device on which other programs see what is in view of a camera.
package struct OutputSettings: Sendable, Equatable {
    /// The path of a V4L2 output device, such as `/dev/video9`. Nil: there is no virtual camera.
    package var path: String?
    /// The size of the pictures in pixels: even, 16 to 8,192.
    package var width = 1_280
    package var height = 720
    /// Pictures per second, 1 to 120.
    package var rate = 30.0
    /// Nil: the first of the list that the device has.
    package var pixelFormat: OutputPixelFormat?
    /// Whether pictures are made only while a program reads the device, where the driver reports that.
    package var isOnlyWhenRead = false
}

/// The pixel formats of virtual cameras, by V4L2's four-character codes: the values of `pixel_format`. The
/// first is the one that most programs read.
package enum OutputPixelFormat: String, CaseIterable, Sendable {
    case yuyv = "YUYV"
    case uyvy = "UYVY"
    case nv12 = "NV12"
    case yu12 = "YU12"
    case yv12 = "YV12"
}
