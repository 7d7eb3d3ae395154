package import Cameras
package import Settings

extension OutputFormat.Pixels {
    package init(_ format: OutputPixelFormat) {
        self =
            switch format {
            case .yuyv: .yuyv
            case .uyvy: .uyvy
            case .nv12: .nv12
            case .yu12: .yu12
            case .yv12: .yv12
            }
    }
}
