import Bus
import Contract

@testable import Server

/// A broker that ends the run when something reaches it that the viewer's role does not permit.
final class JudgedBus: ConsoleBus {
    private let viewer: Viewer
    private let account: String?
    var page = ""
    private(set) var states: Set<String> = []
    private(set) var pictures: Set<String> = []

    init(_ viewer: Viewer, account: String?) { (self.viewer, self.account) = (viewer, account) }

    func subscribe(_ filters: [BusFilter]) {
        for filter in filters.map(\.filter) {
            expect(!filter.contains { "+#".contains($0) }, "a wildcard: \(filter)")
            let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
            expect(levels.count >= 4 && viewer.sees(camera(levels)), "a subscription to \(filter)")
            if filter.hasSuffix("/preview/live") { pictures.insert(filter) } else { states.insert(filter) }
        }
    }

    func unsubscribe(_ filters: [BusFilter]) {
        for filter in filters.map(\.filter) {
            states.remove(filter)
            pictures.remove(filter)
        }
    }

    func publish(_ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        // An agent that is open, or that a message of the broker made open, has no account in the topic.
        expect(
            levels.count == 5 || (levels.count == 6 && String(levels[5]) == account), "a message on \(topic)")
        expect(levels[0] == "v4l2mqtt" && levels[4] == "set", "a message on \(topic)")
        expect(viewer.sees(camera(levels)), "a camera that the viewer does not see: \(topic)")
        guard let fields = JSON(payload)?.object else {
            return expect(false, "no JSON object: \(String(decoding: payload, as: UTF8.self))")
        }
        let node = String(levels[3])
        if node == "preview" {
            expect(fields["client"] == .text("console"), "a lease in the name of another client")
            return
        }
        expect(fields["client"] == .text(viewer.name), "a command in the name of another client")
        let needed = Node(name: node)?.contract.role(for: fields)
        expect(needed.map { viewer.role >= $0 } == true, "\(viewer.role) sent \(node)")
        expect(viewer.role != .look, "a viewer sent \(node)")
        if let gesture = fields["gesture"]?.text {
            expect(gesture.hasPrefix("\(page)-"), "a gesture of another page")
        }
        if let id = fields["id"] { expect(id.text?.hasPrefix("\(page)-") == true, "an id of another page") }
        expect(fields["ts"] == nil, "the page wrote the time")
        if let topic = properties.responseTopic {
            expect(topic == "replies/\(account ?? "console")/id1", "another topic for answers")
        }
    }

    private func camera(_ levels: [Substring]) -> CameraAddress {
        guard let camera = CameraAddress("\(levels[1])/\(levels[2])") else {
            fatalError("no camera: \(levels)")
        }
        return camera
    }
}

/// A page that ends the run when it gets what is no message, or something after the end.
final class JudgedConnection: PageConnection {
    var isWritable = true
    private(set) var count = 0
    private var isClosed = false

    func send(text: [UInt8]) {
        expect(
            JSON.isObject(text), "no JSON: \(String(decoding: text, as: UTF8.self))")
        sent()
    }

    func send(_ picture: PreviewPicture, number: Int) {
        let header = picture.header(number: number)
        expect(JSON.isObject(header), "the header is no JSON")
        expect(header.count <= 1000, "a header of \(header.count) bytes")
        sent()
    }

    func send(header: [UInt8], file: [UInt8]) {
        expect(JSON.isObject(header), "the header is no JSON")
        sent()
    }

    private func sent() {
        expect(!isClosed, "something was sent after the close")
        count += 1
    }

    func close(_ error: PageError) {
        expect(!isClosed, "the page was closed twice")
        expect((1...123).contains(error.reason.utf8.count), "a reason of \(error.reason.utf8.count) bytes")
        isClosed = true
    }
}
