internal import Cameras
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import ZoomModel

extension Camera {
    /// The zoom's state as it is now, under the present `rev`.
    var currentZoomState: ZoomState {
        let zoom = model.snapshot
        return ZoomState(
            factor: zoom.factor, target: zoom.target, ramping: zoom.ramping, velocity: zoom.velocity,
            min: zoom.min, max: zoom.max, position: zoom.position, optical: zoom.optical,
            digital: zoom.digital,
            viewport: zoom.viewport.forMessages, rev: rev, boot: agent.boot, origin: zoom.origin.forMessages,
            ts: Timestamp.text())
    }

    func publishZoom() {
        _ = revisions.next()
        lastZoom = agent.loop.now
        publish(currentZoomState, as: .zoom)
        agent.saveSoon()
        presets.publishIfChanged()
        // The viewport is in the zoom's state too: its own node follows, at a pace for those who only want to look.
        tellAtAPace(viewportTimer, last: lastViewport)
    }

    /// Has a node told that may change with each frame: at once, or a while after it was told last.
    func tellAtAPace(_ timer: LoopTimer, last: ContinuousClock.Instant?) {
        guard !timer.isSet else { return }
        timer.set(at: last.map { $0.advanced(by: Self.pace) } ?? agent.loop.now)
    }

    /// Tells everybody what happens once, and whose doing it is.
    func announce(
        _ kind: Event.Kind, by client: String?, _ command: String?, _ fill: (inout Event) -> Void
    ) {
        var event = Event(kind, boot: agent.boot, ts: Timestamp.text())
        (event.client, event.id) = (client, command)
        fill(&event)
        agent.bus.publishQueued(agent.topics.event(camera: id), JSON.bytes(event))
    }

    /// Answers with nothing but how it went.
    func answer(_ status: Reply.Status, _ asker: Asker) {
        var reply = asker.reply(status, boot: agent.boot)
        reply.rev = rev
        agent.answer(reply, asker)
    }

    func publishSample() {
        agent.bus.publishIfReady(agent.topics.live(camera: id), JSON.bytes(currentZoomState.sample))
        // Whoever is killed on the way goes on from there.
        agent.saveSoon()
    }

    func publishGesture() {
        let state = model.runningGesture.map {
            PinchState(
                gesture: $0.gesture, client: $0.client, base: $0.base, scale: $0.scale, rev: rev,
                boot: agent.boot,
                ts: Timestamp.text())
        }
        if state != nil || isPinchSaid != false { publish(state, as: .pinch) }
        isPinchSaid = state != nil
        publishTouch()
    }

    private func publishTouch() {
        let state = model.runningTouch.map {
            TouchState(
                gesture: $0.gesture, client: $0.client, fingers: $0.fingers ?? 0, rev: rev, boot: agent.boot,
                ts: Timestamp.text())
        }
        if state != nil || isTouchSaid != false { publish(state, as: .touch) }
        isTouchSaid = state != nil
    }

    func publishViewport() {
        let viewport = model.snapshot.viewport.forMessages
        guard viewport != saidViewport else { return }
        saidViewport = viewport
        lastViewport = agent.loop.now
        publish(
            ViewportState(viewport: viewport, rev: rev, boot: agent.boot, ts: Timestamp.text()), as: .viewport
        )
    }

    func publishControls(origin: Origin) {
        controlsTimer.cancel()
        lastControls = agent.loop.now
        let values = Dictionary(
            uniqueKeysWithValues: controls.map { ($0.name, $0.value.forMessages) })
        saidValues = values
        publish(
            ControlsState(
                values: values, rev: revisions.next(), boot: agent.boot, origin: origin.forMessages,
                ts: Timestamp.text()), as: .controls)
        presets.publishIfChanged()
    }

    func publishCapture() {
        publish(
            CaptureState(
                // A photo is no change of the camera: who wants it as it was isn't refused because somebody took one.
                pending: photosPending, counter: counter, last: lastPhoto, pressed: shutter.pressed, rev: rev,
                boot: agent.boot,
                ts: Timestamp.text()), as: .capture)
    }

    func publishInfo() {
        let description = backend.description
        let range = model.settings.range
        var reach = 1.0
        let reaches = description.actuators.map { actuator in
            reach *= actuator.max
            return reach
        }
        var actuators = description.actuators.map { CameraInfo.Actuator(kind: $0.kind, max: $0.max) }
        if reach < range.max { actuators.append(.init(kind: "crop", max: range.max / reach)) }
        var info = CameraInfo(
            model: description.model, bus: description.bus, serial: description.serial,
            nodes: Node.allCases.map(\.rawValue),
            zoom: .init(
                min: range.min, max: range.max, handover: reaches.filter { $0 > range.min && $0 < range.max },
                actuators: actuators, upscaleFrom: description.opticalMax,
                gestureTimeoutMilliseconds: Int(model.settings.gestureTimeout / .milliseconds(1)),
                liveRate: model.settings.liveRate),
            formats: description.formats.map {
                .init(pixelFormat: $0.pixelFormat, width: $0.width, height: $0.height, fps: $0.rates)
            },
            qualities: description.qualities,
            recording: .init(
                codec: agent.settings.recordings.codec,
                maximumSeconds: agent.settings.recordings.maximumSeconds, audio: settings.microphone != nil),
            shutter: settings.shutter.forMessages,
            controls: controls.map(\.descriptor))
        (info.position, info.kind) = (settings.position, settings.kind)
        // A value that changes is no news here; what a control can be, or whether it can be set, is.
        guard info != saidInfo else { return }
        saidInfo = info
        agent.bus.retain(agent.topics.info(of: id), JSON.bytes(info))
        homeAssistant.changed()
    }

    func publish(_ state: some Encodable, as node: Node) {
        agent.bus.retain(agent.topics.state(of: node, camera: id), JSON.bytes(state))
    }
}

extension Viewport {
    var forMessages: ViewportField { ViewportField(x: x, y: y, width: width, height: height) }
}

extension Origin {
    var forMessages: OriginField { OriginField(client: client, id: id, kind: kind.rawValue) }
}
