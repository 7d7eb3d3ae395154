internal import Contract
internal import NIOCore

/// A preview frame for all pages that watch its camera.
struct PreviewPicture {
    let camera: CameraAddress
    /// In pixels; nil: the frame does not say it, as with MQTT 3.1.1.
    var width: Int?
    /// The fields of the header behind `number`, from a comma to the closing brace.
    let headerEnd: [UInt8]
    /// The JPEG. All pages share its bytes.
    let content: ByteBuffer

    /// The header for one page.
    func header(number: Int) -> [UInt8] { Array("{\"number\":\(number)".utf8) + headerEnd }
}
