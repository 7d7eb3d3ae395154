import Bus
import Contract
import Fleet
import NIOCore

/// The console: pages on one side, a broker on the other. It decides what a page sees and what it may send.
///
/// For one thread. It knows no sockets: the server calls it and implements ``PageConnection`` and
/// ``ConsoleBus``.
final class Console {
    /// Between two messages `time`.
    private static let timePeriod = Duration.seconds(5)
    /// How long a page without a cookie may take to send its token.
    private static let signInTimeout = Duration.seconds(10)

    let settings: ConsoleSettings
    let access: AccessControl
    private unowned let bus: any ConsoleBus
    private let now: () -> ContinuousClock.Instant
    private let leftOut = LeftOutMessages()
    private let cameras: CameraList
    private var pages: [String: Page] = [:]
    private var signInDeadlines: [String: ContinuousClock.Instant] = [:]
    private var leases = PreviewLeases()
    private let commands: PageCommands
    /// Takes a line for the log.
    var log: (String) -> Void = { _ in }
    /// Agents that are gone for good: their cameras are in no list until an agent is online again.
    var hidden: Set<String> = []
    /// Stores ``hidden``.
    var storeHidden: (Set<String>) -> Void = { _ in }
    /// Whether there is a connection to the broker.
    var isConnected: Bool { commands.isConnected }
    /// Whether all cameras of the broker were read since the console has started.
    private var hasAllCameras = false
    private var lastTime: ContinuousClock.Instant?
    private var pageCount = 0

    /// - Parameters:
    ///   - bus: outlives the console.
    ///   - now: the present time.
    init(
        _ settings: ConsoleSettings, access: AccessControl, bus: any ConsoleBus,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        (self.settings, self.access, self.bus, self.now) = (settings, access, bus, now)
        cameras = CameraList(base: settings.baseTopic, now: now)
        commands = PageCommands(settings, cameras, bus)
    }

    /// The subscriptions that the console always has.
    var filters: [BusFilter] {
        cameras.fleet.subscriptions.flatMap(\.filters) + commands.topics.cameraAnswers
    }
}

// MARK: Pages

extension Console {
    /// Adds a page.
    ///
    /// - Parameters:
    ///   - admission: nil: the page has to send its token first.
    ///   - hasText: false: the connection shows pictures only.
    func connect(
        _ connection: any PageConnection, _ admission: Admission?, hasText: Bool = true
    ) -> Page {
        pageCount += 1
        let page = Page(
            name: PageName.make(pageCount), connection: connection, admission: admission, hasText: hasText,
            now: now, summary: { [weak self] in self?.summary(of: $0) }
        ) { [weak self] page, error in self?.close(page, error) }
        pages[page.name] = page
        if admission == nil {
            signInDeadlines[page.name] = now() + Self.signInTimeout
            page.send(PageText.signIn)
        } else if hasText {
            welcome(page)
        }
        return page
    }

    private func welcome(_ page: Page) {
        guard let viewer = page.viewer else { return }
        page.send(PageText.hello(page, viewer, version: settings.version))
        page.send(PageText.bus(isConnected: isConnected), replacing: .bus)
        for camera in cameras.fleet.addresses where viewer.sees(camera) && summary(of: camera) != nil {
            page.change(camera)
        }
        page.startList()
        if hasAllCameras { page.completeList() }
        page.flush()
    }

    /// Takes a message of a page. If it is not permitted, the page is closed.
    func receive(_ bytes: [UInt8], from page: Page) {
        guard pages[page.name] === page else { return }
        let time = now()
        do throws(PageError) {
            try page.countMessage(at: time)
            guard page.viewer != nil || bytes.count <= PageMessage.maxTokenMessageBytes else {
                throw PageError(.policy, "the first message is the token")
            }
            try handle(try PageMessage(bytes), from: page, at: time)
        } catch {
            close(page, error)
        }
    }

    private func handle(
        _ message: PageMessage, from page: Page, at time: ContinuousClock.Instant
    ) throws(PageError) {
        if case .token(let secret) = message {
            guard page.viewer == nil else { throw PageError(.policy, "the page is admitted already") }
            guard let admission = access.admission(secret: secret, .page) else { throw .unknownToken }
            page.admit(admission)
            signInDeadlines[page.name] = nil
            return welcome(page)
        }
        guard let viewer = page.viewer else { throw PageError(.policy, "the first message is the token") }
        switch message {
        case .token: break
        case .drawn(let number): page.drawn(number, at: time)
        case .open(let names):
            page.want(open: Set(names.filter(viewer.sees)))
            applyLists(of: page, at: time)
        case .watch(let previews):
            page.want(previews.filter { viewer.sees($0.camera) })
            applyLists(of: page, at: time)
        case .command(let command) where command.node == Self.hideNode: hide(command, of: page, viewer)
        case .command(let command): commands.carryOut(command, of: page, viewer, at: time)
        }
    }

    /// The command of a page that hides the agent of a camera. It is the console's own.
    private static let hideNode = "hide"

    private func hide(_ command: PageCommand, of page: Page, _ viewer: Viewer) {
        let error: CommandError? =
            if !viewer.sees(command.camera) || summary(of: command.camera) == nil {
                CommandError(.badTopic, "there is no camera \(command.camera)")
            } else if viewer.role < .manage {
                CommandError(.forbidden, "the role \(viewer.role.rawValue) does not permit this")
            } else if !cameras.fleet.addresses(of: command.camera.agent).allSatisfy(viewer.sees) {
                CommandError(
                    .forbidden, "this hides the whole agent, and the token is not for all its cameras")
            } else if cameras.isOnline(command.camera.agent) {
                CommandError(.conflict, "the agent \(command.camera.agent) is online")
            } else {
                nil
            }
        if error == nil, hidden.insert(command.camera.agent).inserted { hiddenChanged(command.camera.agent) }
        guard let id = command.id else { return }
        page.send(error.map { PageText.refusal(id, $0) } ?? PageText.done(id))
    }

    private func hiddenChanged(_ agent: String) {
        storeHidden(hidden)
        for camera in cameras.summaries(of: agent).keys { summaryChanged(of: camera) }
    }

    /// What the list of cameras says about one; nil: it is not in the list.
    private func summary(of camera: CameraAddress) -> CameraSummary? {
        hidden.contains(camera.agent) ? nil : cameras.summary(of: camera)
    }

    /// Puts the newest lists of a page into effect, unless the page has changed its lists too often.
    private func applyLists(of page: Page, at time: ContinuousClock.Instant) {
        if let open = page.takeOpen(at: time) {
            page.open = open
            updateSubscriptions()
            for camera in open.sorted(by: { $0.description < $1.description }) {
                sendStates(of: camera, to: page)
            }
        }
        if let previews = page.takePreviews(at: time) { watch(previews, page) }
    }

    /// Whether a camera exists for a viewer; nil: that is not known yet, as there is no connection to the
    /// broker, or its cameras are being read.
    func shows(_ camera: CameraAddress, to viewer: Viewer) -> Bool? {
        guard viewer.sees(camera) else { return false }
        if summary(of: camera) != nil { return true }
        return isConnected && hasAllCameras ? false : nil
    }

    /// Why a camera that exists gives no pictures now; nil: it does.
    func reasonWithoutPictures(of camera: CameraAddress) -> String? {
        guard let summary = cameras.summary(of: camera), !(summary.agentOnline && summary.online) else {
            return nil
        }
        if !summary.agentOnline { return "the camera's agent is offline" }
        return summary.reason == "private" ? "the camera is private" : "the camera is offline"
    }

    /// Shows pictures of these cameras on a page, and no others.
    ///
    /// - Returns: the cameras whose next pictures may still be those of an earlier lease: for other pages,
    ///   with another width.
    @discardableResult
    func watch(_ previews: [PreviewRequest], _ page: Page) -> Set<CameraAddress> {
        let before = page.previews.keys
        page.watch(previews)
        return Set(before).union(page.previews.keys).filter { updateLease(of: $0) == .changes }
    }

    /// The network takes more data for a page.
    func becameWritable(_ page: Page) { page.flush() }

    /// A page has shown a picture.
    func drawn(_ number: Int, _ page: Page) { page.drawn(number, at: now()) }

    /// A page is gone: what it has begun is ended.
    ///
    /// - Parameter keepsLeases: for a while, as the next page of the same kind may come soon.
    func disconnected(_ page: Page, keepsLeases: Bool = false) {
        guard pages.removeValue(forKey: page.name) != nil else { return }
        page.end()
        signInDeadlines[page.name] = nil
        commands.forget(owner: page.name)
        endInputs(of: page)
        let watched = page.previews.keys
        if keepsLeases { for preview in page.previews.values { leases.keep(preview, at: now()) } }
        page.watch([])
        for camera in watched { updateLease(of: camera) }
        page.open = []
        updateSubscriptions()
    }

    private func endInputs(of page: Page) {
        guard let viewer = page.viewer else { return }
        for command in page.held.end() { commands.send(command, for: viewer, at: now()) }
    }

    private func close(_ page: Page, _ error: PageError) {
        disconnected(page)
        page.connection.close(error)
    }

    /// Closes all pages: the console stops.
    func stop() {
        for page in pages.values { close(page, PageError(.goingAway, "the console stops")) }
    }

    /// Closes the pages whose tokens were removed or replaced.
    func tokensChanged() {
        for page in pages.values where page.admission.map(access.isValid) == false {
            close(page, PageError(.policy, "the token was removed"))
        }
    }

    /// To be called once in a second.
    ///
    /// - Parameter milliseconds: the present time since 1970.
    func tick(milliseconds: Int) {
        let time = now()
        for (name, deadline) in signInDeadlines where time >= deadline {
            if let page = pages[name] { close(page, PageError(.policy, "no token came")) }
        }
        for page in pages.values { applyLists(of: page, at: time) }
        for camera in leases.takeUnpolled(at: time) { updateLease(of: camera) }
        for camera in leases.due(at: time) { sendLease(of: camera) }
        for case .agent(let agent, _, let changed) in cameras.fleet.tick(at: time) {
            agentChanged(agent, changed, before: nil)
        }
        carryOut()
        commands.pass(at: time)
        if let report = leftOut.takeReport(at: time) { log(report) }
        guard lastTime.map({ time - $0 >= Self.timePeriod }) ?? true else { return }
        lastTime = time
        for page in pages.values where page.viewer != nil {
            page.send(PageText.time(milliseconds), replacing: .time)
        }
    }
}

// MARK: Requests of the server

extension Console {
    /// Sends a command of the server's own, such as one for a part of a file. The answer comes by `handle`.
    ///
    /// - Returns: the name of the request for ``forget(_:)``.
    /// - Throws: why it was not sent; then `handle` is not called.
    func request(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, _ viewer: Viewer,
        then handle: @escaping (CommandResult) -> Void
    ) throws(CommandError) -> String {
        try commands.request(camera, node, payload, viewer, at: now(), then: handle)
    }

    /// The answer to a request of the server is not expected any more.
    func forget(_ request: String) { commands.forget(owner: request) }
}

// MARK: The broker

extension Console {
    func brokerConnected() {
        commands.connected(at: now())
        cameras.fleet.connected(at: now())
        for page in pages.values { page.send(PageText.bus(isConnected: true), replacing: .bus) }
        for camera in leases.cameras { sendLease(of: camera) }
    }

    /// The broker has answered all subscriptions.
    func brokerSubscribed() {
        cameras.fleet.subscribed(at: now())
        carryOut()
    }

    func brokerDisconnected() {
        guard isConnected else { return }
        cameras.fleet.disconnected()
        carryOut()
        for page in pages.values { page.send(PageText.bus(isConnected: false), replacing: .bus) }
        commands.disconnected()
        // Until the next connection a page cannot end what it holds, and an agent may have kept its own one.
        for page in pages.values { endInputs(of: page) }
    }

    /// Takes a message of the broker.
    func receive(_ message: BusMessage) {
        guard let parts = commands.topics.parts(of: message.topic) else { return commands.take(message) }
        switch (parts.kind, parts.camera) {
        case (.answer, _): commands.take(message)
        case (.live, let camera?) where parts.node == "preview":
            takePicture(of: camera, message, parts)
        case (.state, _), (.live, _): takeState(parts, message.payload)
        case (.command, _): break
        }
    }

    /// The broker refuses a message of the console.
    func brokerRefused(_ topic: String, _ reason: String) { commands.refused(topic, reason) }

    private func takePicture(of camera: CameraAddress, _ message: BusMessage, _ parts: TopicParts) {
        guard message.payload.count <= MessageLimits.picture else {
            return leftOut.add(parts, "\(message.payload.count) bytes")
        }
        guard leases.contains(camera) else { return }
        let picture = PreviewPicture(
            camera: camera, width: PictureHeader.width(message.user),
            headerEnd: PictureHeader.end(camera, message.user), content: ByteBuffer(bytes: message.payload))
        let time = now()
        for page in pages.values { page.take(picture, at: time) }
    }

    /// Takes a state, an event or a sample. An empty state is removed.
    private func takeState(_ parts: TopicParts, _ payload: [UInt8]) {
        let before: [CameraAddress: CameraSummary] =
            switch parts.place {
            case .agent(let agent): cameras.summaries(of: agent)
            case .camera(let camera) where CameraList.summaryStates.contains(parts.node):
                [camera: cameras.summary(of: camera)].compactMapValues(\.self)
            case .camera, .group: [:]
            }
        switch cameras.fleet.take(parts, payload, at: now()) {
        case .change(.agent(let agent, _, let changed)): agentChanged(agent, changed, before: before)
        case .change(.camera(let camera, let node)):
            cameraChanged(camera, node, payload, before: before[camera])
        case .leftOut(let reason): leftOut.add(parts, reason)
        case .unlisted, .other: break
        }
        carryOut()
    }

    /// Subscribes and asks as the fleet needs it.
    private func carryOut() {
        for action in cameras.fleet.takeActions() {
            switch action {
            case .subscribe, .follow: bus.subscribe(action.filters)
            case .unsubscribe: bus.unsubscribe(action.filters)
            // The broker may have lost them, or have them on another node.
            case .ask(let agent, let camera): commands.refresh(agent, camera)
            }
        }
        guard !hasAllCameras, cameras.fleet.isRead else { return }
        hasAllCameras = true
        for page in pages.values where page.viewer != nil {
            page.completeList()
            page.flush()
        }
    }

    private func isOpen(_ camera: CameraAddress) -> Bool {
        pages.values.contains { $0.open.contains(camera) }
    }

    /// - Parameter before: what the list said of the cameras; nil: all of them have changed.
    private func agentChanged(
        _ agent: String, _ changed: [CameraAddress], before: [CameraAddress: CameraSummary]?
    ) {
        commands.follow(agent, at: now())
        let different = before.map { before in changed.filter { before[$0] != cameras.summary(of: $0) } }
        for camera in different ?? changed {
            summaryChanged(of: camera)
            updateLease(of: camera)
        }
        if different?.isEmpty != true { updateSubscriptions() }
        // An agent that was started anew has no leases. With `info` it says how it takes commands.
        guard cameras.isOnline(agent) else { return }
        if hidden.remove(agent) != nil { hiddenChanged(agent) }
        for camera in leases.cameras where camera.agent == agent { sendLease(of: camera) }
    }

    private func cameraChanged(
        _ camera: CameraAddress, _ node: String, _ payload: [UInt8], before: CameraSummary?
    ) {
        if CameraList.summaryStates.contains(node) { summaryMayHaveChanged(of: camera, node, before: before) }
        guard isOpen(camera) else { return }
        if node == "event" {
            guard JSON.objectOrNull(payload) != nil else { return }
            for page in pages.values where page.open.contains(camera) {
                page.send(PageText.event(camera, payload: payload))
            }
        } else if let text = stateText(camera, node, payload) {
            for page in pages.values where page.open.contains(camera) {
                page.send(text, replacing: .state(camera, node: node))
            }
        }
    }

    private func summaryMayHaveChanged(of camera: CameraAddress, _ node: String, before: CameraSummary?) {
        let after = cameras.summary(of: camera)
        guard after != before else {
            // A camera that was started anew may say the same as before.
            if node == "availability", after?.online == true { sendLease(of: camera) }
            return
        }
        summaryChanged(of: camera)
        if (before == nil) != (after == nil) {
            updateSubscriptions()
            updateLease(of: camera)
        } else if after?.online == true {
            // The camera was away or private, and its leases with it.
            sendLease(of: camera)
        }
    }

    private func summaryChanged(of camera: CameraAddress) {
        if let reason = reasonWithoutPictures(of: camera) {
            for page in pages.values where page.previews[camera] != nil {
                page.connection.closeIfIdle(PageError(.tryAgainLater, reason))
            }
        }
        for page in pages.values where page.viewer?.sees(camera) == true {
            page.change(camera)
            page.flush()
        }
    }

    private func stateText(_ camera: CameraAddress, _ node: String, _ payload: [UInt8]) -> [UInt8]? {
        if payload.isEmpty { return PageText.state(camera, node, payload: Array("null".utf8)) }
        return JSON.objectOrNull(payload).map { _ in PageText.state(camera, node, payload: payload) }
    }

    private func sendStates(of camera: CameraAddress, to page: Page) {
        for (node, payload) in cameras.payloads(of: camera).sorted(by: { $0.key < $1.key }) {
            if let text = stateText(camera, node, payload) {
                page.send(text, replacing: .state(camera, node: node))
            }
        }
    }

    /// Subscribes to the states of the cameras that pages have open, and to no others. A page may name
    /// cameras that do not exist: nothing reaches the broker for them.
    private func updateSubscriptions() {
        let wanted = pages.values.reduce(into: Set()) { $0.formUnion($1.open) }
            .filter { cameras.summary(of: $0) != nil }
        cameras.fleet.follow(wanted, at: now())
        carryOut()
    }

    // MARK: Preview leases

    /// A page wants other pictures of a camera, or the camera has appeared or disappeared.
    ///
    /// - Returns: what that means for its lease; nil: nothing.
    @discardableResult
    private func updateLease(of camera: CameraAddress) -> PreviewLeases.Change? {
        let isThere = cameras.summary(of: camera) != nil
        let change = leases.set(camera, pages.values.compactMap { $0.previews[camera] }, isThere: isThere)
        switch change {
        case .begins:
            bus.subscribe([pictureFilter(of: camera)])
            sendLease(of: camera)
        case .changes: sendLease(of: camera)
        case .ends:
            bus.unsubscribe([pictureFilter(of: camera)])
            commands.sendOwn(camera, .preview, PreviewLeases.end)
        case nil: break
        }
        return change
    }

    private func pictureFilter(of camera: CameraAddress) -> BusFilter {
        BusFilter("\(settings.baseTopic)/\(camera)/preview/live", .newOnly, qos: .atMostOnce)
    }

    /// Sends the lease of a camera, if there is one.
    private func sendLease(of camera: CameraAddress) {
        guard let command = leases.renew(camera, at: now()), isConnected else { return }
        commands.sendOwn(camera, .preview, command)
    }
}
