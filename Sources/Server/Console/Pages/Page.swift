internal import Bus
internal import Contract
internal import Fleet

/// One page of a viewer: what it wants to see, what waits for it, and what it holds.
final class Page {
    /// Messages that a page may send in a second.
    private static let maxMessages = 300
    /// A frame is accepted if it comes at most 30 % of the interval before it is due.
    private static let earliness = 0.3

    /// Begins the ids and the gestures of this page; no other page has it.
    let name: String
    let connection: any PageConnection
    /// Nil: the page has not proved who it is.
    private(set) var admission: Admission?
    /// Whether it reads texts. False: it is an address of `live` or `snapshot`, which gets only pictures, and
    /// draws each at once.
    let hasText: Bool
    var open: Set<CameraAddress> = []
    private(set) var previews: [CameraAddress: PreviewRequest] = [:]
    /// The newest lists of the page that are not in effect yet.
    private var wantedOpen: Set<CameraAddress>?
    private var wantedPreviews: [PreviewRequest]?
    private var budget = ChangeBudget()
    var held = HeldInputs()
    /// Cameras whose summaries have changed. They are read when they are sent.
    private var changedCameras: Set<CameraAddress> = []
    private let summary: (CameraAddress) -> CameraSummary?
    /// The list of cameras is sent in parts of about so many bytes, as the network takes them.
    private static let listBytes = 256 << 10
    private var outbox = PageOutbox()
    private var window = PictureWindow()
    /// The newest picture of each camera that is not sent yet, and the order of sending.
    private var pictures: [CameraAddress: PreviewPicture] = [:]
    private var order: [CameraAddress] = []
    private var due: [CameraAddress: ContinuousClock.Instant] = [:]
    private var lastNumber = 0
    private var received: (count: Int, since: ContinuousClock.Instant)?
    /// Closes the page, which does not read what is sent.
    private let closeUnread: (Page, PageError) -> Void
    private let now: () -> ContinuousClock.Instant
    private var isClosed = false
    /// Whether the next list of cameras is the first one, which is sent even if it is empty.
    private var isFirstListDue = false
    /// Whether the page is to be told that the list has all cameras.
    private var isCompletionDue = false

    /// - Parameters:
    ///   - now: the present time.
    ///   - summary: what the list of cameras says about one; nil: it is not in the list.
    ///   - closeUnread: called at most once.
    init(
        name: String, connection: any PageConnection, admission: Admission?, hasText: Bool,
        now: @escaping () -> ContinuousClock.Instant = { .now },
        summary: @escaping (CameraAddress) -> CameraSummary?,
        closeUnread: @escaping (Page, PageError) -> Void
    ) {
        (self.now, self.summary) = (now, summary)
        (self.name, self.connection) = (name, connection)
        (self.admission, self.hasText, self.closeUnread) = (admission, hasText, closeUnread)
    }

    var viewer: Viewer? { admission?.viewer }

    func admit(_ admission: Admission) { self.admission = admission }

    /// Nothing is sent any more.
    func end() { isClosed = true }

    /// - Throws: ``PageError`` for more messages than a page may send.
    func countMessage(at time: ContinuousClock.Instant) throws(PageError) {
        if let received, time - received.since < .seconds(1) {
            self.received?.count += 1
            if received.count + 1 > Self.maxMessages {
                throw PageError(.tryAgainLater, "more than \(Self.maxMessages) messages in a second")
            }
        } else {
            received = (1, time)
        }
    }

    // MARK: Lists

    /// The page wants to have these cameras open, and no others.
    func want(open cameras: Set<CameraAddress>) { wantedOpen = cameras }

    /// The page wants these pictures, and no others.
    func want(_ previews: [PreviewRequest]) { wantedPreviews = previews }

    /// The cameras to open now; nil: there is no new list, or the page has to wait, as it has changed its
    /// lists often. The same list counts as a change: the page gets the states again.
    func takeOpen(at time: ContinuousClock.Instant) -> Set<CameraAddress>? {
        guard let wanted = wantedOpen, budget.take(max(1, wanted.symmetricDifference(open).count), at: time)
        else { return nil }
        wantedOpen = nil
        return wanted
    }

    /// The pictures to watch from now on; nil: as before, or the page has to wait.
    func takePreviews(at time: ContinuousClock.Instant) -> [PreviewRequest]? {
        guard let wanted = wantedPreviews else { return nil }
        let new = Dictionary(uniqueKeysWithValues: wanted.map { ($0.camera, $0) })
        let changes = Set(previews.keys).union(new.keys).count { previews[$0] != new[$0] }
        guard budget.take(changes, at: time) else { return nil }
        wantedPreviews = nil
        return changes > 0 ? wanted : nil
    }

    // MARK: Texts

    func send(_ text: [UInt8], replacing key: PageOutbox.Key? = nil) {
        guard hasText, !isClosed else { return }
        outbox.add(text, replacing: key)
        flush()
    }

    /// Sends a photo that answers a command, after the texts that wait.
    func send(header: [UInt8], file: [UInt8]) {
        guard hasText, !isClosed else { return }
        outbox.add(header: header, file: file)
        flush()
    }

    /// Sends what has come back for a command of this page.
    ///
    /// - Parameter id: the id that the page gave to the command.
    func send(_ result: CommandResult, of id: String, _ camera: CameraAddress) {
        switch result {
        case .reply(_, let message): send(PageText.answer(id, payload: message.payload))
        case .file(let message):
            let header = JSON.bytes(
                JSON.object([
                    "answer": .text(id), "camera": .text("\(camera)"),
                    "content_type": .text(message.contentType ?? ""),
                ]))
            send(header: header, file: message.payload)
        case .failed(let error): send(PageText.refusal(id, error))
        }
    }

    /// The list of cameras says something else about a camera.
    func change(_ camera: CameraAddress) {
        if hasText, !isClosed { changedCameras.insert(camera) }
    }

    /// The list of cameras is to be sent with the next ``flush()``, even if it is empty.
    func startList() { isFirstListDue = true }

    /// The list has all cameras: told with the next ``flush()``, after them.
    func completeList() { isCompletionDue = true }

    /// Sends what the network takes: texts and files, changes of the list of cameras, then pictures.
    func flush() {
        guard !isClosed else { return }
        while connection.isWritable, let content = outbox.takeFirst() {
            switch content {
            case .text(let text): connection.send(text: text)
            case .file(let header, let file): connection.send(header: header, file: file)
            }
        }
        // After `hello`, which may still wait.
        while isFirstListDue || !changedCameras.isEmpty, hasText, outbox.isEmpty, connection.isWritable {
            isFirstListDue = false
            // The connection may call `flush()` while it sends.
            connection.send(text: PageText.cameras(takeChanges()))
        }
        if isCompletionDue, !isFirstListDue, changedCameras.isEmpty, hasText, connection.isWritable {
            isCompletionDue = false
            connection.send(text: PageText.complete)
        }
        if outbox.isFull {
            return closeUnread(self, PageError(.tryAgainLater, "the page does not read its messages"))
        }
        sendPictures()
    }

    private func takeChanges() -> [(camera: CameraAddress, summary: CameraSummary?)] {
        var changes: [(camera: CameraAddress, summary: CameraSummary?)] = []
        var bytes = 0
        while bytes < Self.listBytes, let camera = changedCameras.popFirst() {
            let summary = summary(camera)
            changes.append((camera, summary))
            bytes += summary?.bytes ?? CameraSummary().bytes
        }
        return changes
    }

    // MARK: Pictures

    func watch(_ previews: [PreviewRequest]) {
        self.previews = Dictionary(uniqueKeysWithValues: previews.map { ($0.camera, $0) })
        window.rate = previews.reduce(0) { $0 + $1.rate }
        for camera in order where self.previews[camera] == nil { pictures[camera] = nil }
        order.removeAll { self.previews[$0] == nil }
        due = due.filter { self.previews[$0.key] != nil }
    }

    /// Takes a picture of a camera, which replaces one that still waits.
    func take(_ picture: PreviewPicture, at time: ContinuousClock.Instant) {
        guard let preview = previews[picture.camera] else { return }
        let interval = Duration.seconds(1 / preview.rate), due = due[picture.camera] ?? time
        if time < due - interval * Self.earliness { return }
        self.due[picture.camera] = max(due + interval, time + interval / 2)
        if pictures.updateValue(picture, forKey: picture.camera) == nil { order.append(picture.camera) }
        sendPictures()
    }

    func drawn(_ number: Int, at time: ContinuousClock.Instant) {
        window.drawn(number, at: time)
        sendPictures()
    }

    private func sendPictures() {
        while !isClosed, !order.isEmpty, outbox.isEmpty, window.hasRoom, connection.isWritable {
            guard let picture = pictures.removeValue(forKey: order.removeFirst()) else { continue }
            lastNumber += 1
            window.send(lastNumber, at: now())
            connection.send(picture, number: lastNumber)
        }
    }
}
