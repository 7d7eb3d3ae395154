internal import Contract

/// A preview frame for all pages that watch its camera.
struct Picture {
    let camera: CameraAddress
    /// In pixels; nil: the frame does not say it, as with MQTT 3.1.1.
    let width: Int?
    /// The fields of the header behind `number`, from a comma to the closing brace.
    let headerEnd: [UInt8]
    /// The JPEG, in the form that the server sends to each page without copying it.
    let content: AnyObject

    init(camera: CameraAddress, width: Int? = nil, headerEnd: [UInt8], content: AnyObject) {
        (self.camera, self.width, self.headerEnd, self.content) = (camera, width, headerEnd, content)
    }

    /// The header for one page.
    func header(number: Int) -> [UInt8] { Array("{\"number\":\(number)".utf8) + headerEnd }
}
