/// Whether the cameras of libcamera, such as CSI cameras, are served by its V4L2 layer.
package enum LibcameraUse: Sendable, Equatable {
    case no
    /// By the layer that is installed in one of its usual places.
    case installed
    /// By the layer in this file.
    case file(String)
}
