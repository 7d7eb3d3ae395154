/// The socket of a page, or the response with the pictures of an address. All calls are made on the thread of
/// the ``Console``. While it sends, a connection may call ``Console/becameWritable(_:)``.
protocol PageConnection: AnyObject {
    /// Whether little waits for the network: what is sent now leaves soon.
    var isWritable: Bool { get }
    func send(text: [UInt8])
    func send(_ picture: PreviewPicture, number: Int)
    /// - Parameter header: the JSON text of README.md, "Pictures".
    func send(header: [UInt8], file: [UInt8])
    func close(_ error: PageError)
    /// Its camera gives no pictures now: an address that still waits for the first one is answered.
    func closeIfIdle(_ error: PageError)
}

extension PageConnection {
    func closeIfIdle(_ error: PageError) {}
}
