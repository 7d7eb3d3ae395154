internal import CV4L2
internal import Cameras
internal import Picture

extension V4L2Device {
    /// Converts a frame of any pixel format to planes.
    func planar(
        _ frame: UnsafeBufferPointer<UInt8>, _ format: V4L2Format
    ) throws(CameraError) -> PlanarPicture {
        let (width, height) = (format.width, format.height)
        guard width % 2 == 0, height % 2 == 0 else {
            throw .device("\(width)×\(height) cannot be converted: width and height must be even")
        }
        let luma = format.width * format.height
        var reason: cv4l2_reason = cv4l2_reason()
        var failed: Int32 = 0
        let samples = [UInt8](unsafeUninitializedCapacity: luma * 3 / 2) { buffer, count in
            var forC = format.forC
            failed = cv4l2_convert(
                descriptor, &forC, frame.baseAddress, frame.count, buffer.baseAddress, &reason)
            count = luma * 3 / 2
        }
        if failed != 0 {
            throw .device(
                "\(V4L2Format.letters(format.pixelFormat)) cannot be converted: \(text(reason.words))")
        }
        let chroma = luma / 4
        func plane(_ range: Range<Int>, _ width: Int, _ height: Int) -> PlanarPicture.Plane {
            PlanarPicture.Plane(width: width, height: height, samples: samples[range])
        }
        return PlanarPicture(
            subsampling: .yuv420, luma: plane(0..<luma, width, height),
            blueDifference: plane(luma..<luma + chroma, width / 2, height / 2),
            redDifference: plane(luma + chroma..<luma + 2 * chroma, width / 2, height / 2))
    }
}
