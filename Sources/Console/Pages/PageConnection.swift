/// The socket of a page, or the response with the pictures of an address. All calls are made on the thread of
/// the ``Console``. While it sends, a connection may call ``Console/becameWritable(_:)``.
package protocol PageConnection: AnyObject {
    /// Whether little waits for the network: what is sent now leaves soon.
    var isWritable: Bool { get }
    func send(text: [UInt8])
    func send(_ picture: Picture, number: Int)
    /// - Parameter header: the JSON text of README.md, "Pictures".
    func send(header: [UInt8], file: [UInt8])
    func close(_ error: PageError)
}

/// A preview frame for all pages that watch its camera.
package struct Picture {
    package let camera: CameraName
    /// The fields of the header behind `number`, from a comma to the closing brace.
    package let headerEnd: [UInt8]
    /// The JPEG, in the form that the server sends to each page without copying it.
    package let content: AnyObject

    package init(camera: CameraName, headerEnd: [UInt8], content: AnyObject) {
        (self.camera, self.headerEnd, self.content) = (camera, headerEnd, content)
    }

    /// The header for one page.
    package func header(number: Int) -> [UInt8] { Array("{\"number\":\(number)".utf8) + headerEnd }
}
