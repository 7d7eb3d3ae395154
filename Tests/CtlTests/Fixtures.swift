import Contract
import Ctl
import Fleet

@testable import Bus
@testable import Settings
@testable import ZoomModel

let clientID = "ctl-test"

/// A connection that the broker has accepted.
let session = BusSession(host: BrokerAddress("broker", port: 1883))

func options(
    agent: String? = nil, camera: String? = nil, client: String? = nil, username: String? = nil,
    json: Bool = false, version: MQTTVersion = .v5
) -> CtlOptions {
    var mqtt = MQTTSettings.standard
    (mqtt.host, mqtt.protocolVersion, mqtt.clientID) = ("broker", version, clientID)
    mqtt.username = username
    var options = CtlOptions(
        broker: BusSettings(mqtt), agent: agent, camera: camera, client: client, json: json)
    options.requestID = { "\(clientID)-\($0)" }
    return options
}

func message(_ topic: String, _ payload: [UInt8]) -> BusMessage {
    BusMessage(topic: "v4l2mqtt/\(topic)", payload: payload, qos: .atMostOnce, isRetained: false)
}

func message(_ topic: String, _ json: String) -> BusMessage { message(topic, Array(json.utf8)) }

let timestamp = "2026-01-02T03:04:05.000Z"

func agentInfo(_ agent: String, cameras: String..., clients: ClientMode? = nil) -> BusMessage {
    let info = AgentInfo(
        agent: agent, version: "1", protocol: 1, host: "host", cameras: cameras, clients: clients,
        started: timestamp)
    return message("\(agent)/info", JSON.bytes(info))
}

func availability(
    _ name: String, _ state: Availability.State, boot: Int? = nil, reason: String? = nil
) -> BusMessage {
    message("\(name)/availability", JSON.bytes(Availability(state, boot: boot, reason: reason)))
}

func zoomState(
    _ factor: Double, target: Double? = nil, rev: Int = 1, boot: Int = 1, client: String? = nil
) -> Stamped<ZoomState> {
    let zoom = ZoomState(
        factor: factor, target: target ?? factor, ramping: target != nil, min: 1, max: 8, position: 0.5,
        optical: 1, digital: 1, viewport: Viewport(x: 0, y: 0, width: 1, height: 1),
        origin: Origin(client: client.map(ClientIdentity.init(claimed:)), kind: .command))
    return Stamped(zoom, Stamp(rev: rev, boot: boot, origin: zoom.origin, ts: timestamp))
}

func stamped<State>(_ state: State) -> Stamped<State> {
    Stamped(state, Stamp(rev: 1, boot: 1, ts: timestamp))
}

func zoom(_ camera: String, _ state: Stamped<ZoomState>) -> BusMessage {
    message("\(camera)/zoom", JSON.bytes(state))
}

func recordingState(
    _ phase: RecordingState.Phase, path: String? = nil, startedAt: String? = nil, last: RecordingFields? = nil
) -> Stamped<RecordingState> {
    var state = RecordingState(phase, last: last)
    (state.path, state.startedAt) = (path, startedAt)
    return stamped(state)
}

func recording(
    _ reason: RecordingFields.Reason = .maximumDuration, path: String? = "/r/1.mkv",
    error: CommandError? = nil, cause: RecordingFields.Cause? = nil, earlier: [String]? = nil
) -> RecordingFields {
    var fields = RecordingFields(
        path: path, codec: .h264, encoder: nil, width: 640, height: 360, duration: 1.96, bytes: 1000,
        frames: 30, lost: 0, audio: false, startedAt: timestamp, reason: reason, error: error)
    (fields.cause, fields.earlier) = (cause, earlier)
    return fields
}

func recordingFinished(_ id: String, _ fields: RecordingFields = recording()) -> BusMessage {
    var event = Event(.recordingFinished, boot: 1, ts: timestamp)
    (event.id, event.recording) = (id, fields)
    return message("porch/door/event", JSON.bytes(event))
}

func reply(
    _ number: Int, _ status: Reply.Status = .done, error: CommandError? = nil,
    _ change: (inout Reply) -> Void = { _ in }
) -> BusMessage {
    reply(id: "\(clientID)-\(number)", status, error: error, change)
}

func reply(
    id: String, _ status: Reply.Status = .done, error: CommandError? = nil,
    _ change: (inout Reply) -> Void = { _ in }
) -> BusMessage {
    var reply = Reply(status, boot: 1, ts: timestamp)
    (reply.id, reply.error) = (id, error)
    change(&reply)
    return answer(JSON.bytes(reply), correlation: id)
}

func photo(_ number: Int) -> BusMessage {
    answer([0xFF, 0xD8], correlation: "\(clientID)-\(number)", contentType: "image/jpeg")
}

/// A message on the response topic, or on another one.
func answer(
    _ payload: [UInt8], correlation: String?, contentType: String? = nil, on topic: String = responseTopic
) -> BusMessage {
    BusMessage(
        topic: topic, payload: payload, qos: .atMostOnce, isRetained: false,
        correlation: correlation.map { Array($0.utf8) }, contentType: contentType)
}

func cameraInfo(_ controls: [CameraInfo.ControlDescriptor] = []) -> CameraInfo {
    CameraInfo(
        model: "Model", bus: "usb", serial: "1", nodes: [], clients: .open,
        zoom: .init(
            min: 1, max: 8, handover: [], actuators: [], upscaleFrom: 2, gestureTimeoutMilliseconds: 500,
            liveRate: 30),
        formats: [], qualities: [],
        recording: .init(codec: .h264, maximumSeconds: 60, audio: false, encoding: .init()),
        shutter: .init(ShutterSettings(secondary: .record, longPress: nil)), controls: controls)
}

let brightness: CameraInfo.ControlDescriptor = {
    var control = CameraInfo.ControlDescriptor(
        name: "brightness", title: "Brightness", kind: "slider", default: .number(128), enabled: true)
    (control.min, control.max, control.step) = (0, 255, 1)
    return control
}()

let autofocus = CameraInfo.ControlDescriptor(
    name: "autofocus", title: "Autofocus", kind: "toggle", default: .flag(true), enabled: true)

let effects: CameraInfo.ControlDescriptor = {
    var control = CameraInfo.ControlDescriptor(
        name: "color_effects", title: "Effects", kind: "picker", default: .number(0), enabled: false)
    control.options = [.init(value: 0, title: "None"), .init(value: 2, title: "Sepia")]
    control.reason = "busy"
    return control
}()

let info = cameraInfo([brightness, autofocus, effects])

let controlsState = JSON.bytes(
    stamped(
        ControlsState(["brightness": .number(77), "autofocus": .flag(false), "color_effects": .number(2)])))

let presetsState = JSON.bytes(
    stamped(
        PresetsState(
            presets: [
                "gate": PresetFields(
                    factor: 3, center: .init(x: 0.5, y: 0.25), controls: ["focus_absolute": .number(7)])
            ], current: "gate")))

/// The topic that the conversation names for answers.
let responseTopic = options().topics.responseTopic

/// The event of a refused command.
func refused(_ camera: String, _ client: String, at time: String = timestamp) -> BusMessage {
    var event = Event(.refused, boot: 1, ts: time)
    (event.client, event.error) = (client, CommandError(.busy, "The camera is busy."))
    return message("\(camera)/event", JSON.bytes(event))
}

/// A fleet with the selected agent and camera, which has received these messages: those of agents first, as
/// cameras count that are listed.
func fleet(_ options: CtlOptions = options(), _ messages: BusMessage...) -> CtlFleet {
    let needs = FleetNeeds(
        agent: options.agent, camera: options.camera,
        required: ["availability", "info", "zoom", "recording", "desired"], live: ["zoom/live", "event"])
    var fleet = CtlFleet(base: options.baseTopic, needs, .person)
    for message in messages { fleet.update(with: message) }
    for message in messages { fleet.update(with: message) }
    return fleet
}

extension Fleet {
    mutating func update(with message: BusMessage, at now: Instant = .now) {
        _ = take(message.topic, message.payload, at: now)
    }
}

let photoFields = PhotoFields(
    path: "/p/1.jpg", bytes: 1000, width: 640, height: 360, quality: 90, factor: 1,
    viewport: Viewport(x: 0, y: 0, width: 1, height: 1), frame: 1, exposedAt: timestamp,
    requestedAt: timestamp, sequence: 1, index: 1, of: 1)
