import Contract
import TestSupport
import Testing

@testable import Settings
@testable import ZoomModel

/// What an agent publishes, to the letter.
struct StateTests {
    private static let ts = "2026-11-21T09:05:38.958Z"

    let zoom = ZoomState(
        factor: 4, target: 4.5, ramping: true, min: 1, max: 8, position: 3.0 / 7, optical: 2, digital: 2,
        viewport: Viewport(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
        origin: Origin(client: "hall-tablet", id: "a1b2", kind: .command))

    private func stamped<State>(_ state: State, rev: Int = 3, _ origin: Origin? = nil) -> Stamped<State> {
        Stamped(state, Stamp(rev: rev, boot: 7, origin: origin, ts: Self.ts))
    }

    @Test func availability() {
        expect(Availability(.online, boot: 7), is: #"{"state":"online","boot":7}"#, on: "availability")
        expect(Availability(.offline, boot: 7), is: #"{"state":"offline","boot":7}"#, on: "availability")
        expect(Availability(.online), is: #"{"state":"online"}"#, on: "camera/availability")
        expect(
            Availability(.offline, reason: "stopped"), is: #"{"state":"offline","reason":"stopped"}"#,
            on: "camera/availability")
        expect(Availability(.stopped, boot: 1), is: #"{"state":"stopped","boot":1}"#, on: "availability")
    }

    @Test func agentInfo() {
        expect(
            AgentInfo(
                agent: "porch", version: "0.1.0", protocol: 1, host: "pi", cameras: ["door"],
                clients: .open, started: Self.ts,
                clock: ClockFields(isSynchronized: true, errorMilliseconds: 12.5),
                instance: "83b1f6a04ce27d95", run: "1f0a", numbers: 1_795_536_359_000_000),
            is: """
                {"agent":"porch","version":"0.1.0","protocol":1,"host":"pi","cameras":["door"],"clients":"open","started":"\(Self.ts)","clock":{"synchronized":true,"error_ms":12.5},"instance":"83b1f6a04ce27d95","run":"1f0a","numbers":1795536359000000}
                """, on: "info")
        let refusal = FleetFields.Refusal(
            version: 7, error: CommandError(.forbidden, "no", field: "mqtt.host"))
        expect(
            AgentInfo(
                agent: "porch", version: "0.1.0", protocol: 1, host: "pi", cameras: [],
                clients: .open, started: Self.ts,
                clock: ClockFields(isSynchronized: true, errorMilliseconds: 12.5),
                instance: "83b1f6a04ce27d95", run: "1f0a", numbers: 1_795_536_359_000_000,
                sameName: SameNameFields(host: "pi-2", at: Self.ts),
                fleet: FleetFields(version: 6, refused: refusal)),
            is: """
                {"agent":"porch","version":"0.1.0","protocol":1,"host":"pi","cameras":[],"clients":"open","started":"\(Self.ts)","clock":{"synchronized":true,"error_ms":12.5},"instance":"83b1f6a04ce27d95","run":"1f0a","numbers":1795536359000000,"fleet":{"version":6,"refused":{"version":7,"error":{"code":"forbidden","message":"no","field":"mqtt.host"}}},"same_name":{"host":"pi-2","at":"\(Self.ts)"}}
                """, on: "info")
    }

    @Test func cameraInfo() {
        var slider = CameraInfo.ControlDescriptor(
            name: "brightness", title: "Brightness", kind: "slider", default: .number(128), enabled: true)
        (slider.min, slider.max, slider.step, slider.unit) = (0, 255, 1, "%")
        var picker = CameraInfo.ControlDescriptor(
            name: "power", title: "Power", kind: "picker", default: .number(1), enabled: true)
        picker.options = [.init(value: 0, title: "Disabled")]
        var discrete = CameraInfo.ControlDescriptor(
            name: "bias", title: "Bias", kind: "discrete", default: .number(0), enabled: false)
        discrete.values = [-0.333, 0]
        let toggle = CameraInfo.ControlDescriptor(
            name: "autofocus", title: "Focus", kind: "toggle", default: .flag(true), enabled: true)
        expect(
            CameraInfo(
                model: "Simulated camera", bus: "simulated", serial: "sim-1", nodes: ["zoom"],
                clients: .proved,
                zoom: .init(
                    min: 1, max: 8, handover: [2], actuators: [.init(kind: "absolute", max: 2)],
                    upscaleFrom: 2, gestureTimeoutMilliseconds: 2000, liveRate: 30),
                formats: [.init(pixelFormat: "MJPG", width: 1920, height: 1080, fps: [30])],
                qualities: ["high", "1920x1080"],
                recording: .init(codec: .h264, maximumSeconds: 60, audio: false, encoding: .init()),
                shutter: .init(ShutterSettings(secondary: .record)),
                controls: [slider, picker, discrete, toggle]),
            is: """
                {"model":"Simulated camera","bus":"simulated","serial":"sim-1","nodes":["zoom"],"clients":"proved",
                 "zoom":{"min":1,"max":8,"handover":[2],"actuators":[{"kind":"absolute","max":2}],"upscale_from":2,"gesture_timeout_ms":2000,"live_rate":30},
                 "formats":[{"pixel_format":"MJPG","width":1920,"height":1080,"fps":[30]}],
                 "qualities":["high","1920x1080"],"recording":{"codec":"h264","max_duration_s":60,"audio":false,"key_frame_interval_s":1},
                 "shutter":{"primary":"photo","secondary":"record","long_press_ms":500},
                 "controls":[
                  {"name":"brightness","title":"Brightness","kind":"slider","min":0,"max":255,"step":1,"default":128,
                   "unit":"%","enabled":true},
                  {"name":"power","title":"Power","kind":"picker","options":[{"value":0,"title":"Disabled"}],
                   "default":1,"enabled":true},
                  {"name":"bias","title":"Bias","kind":"discrete","values":[-0.333,0],"default":0,"enabled":false},
                  {"name":"autofocus","title":"Focus","kind":"toggle","default":true,"enabled":true}]}
                """, on: "camera/info")
    }

    /// A `ctl` of this version reads the cameras of agents that are not upgraded yet.
    @Test func infoOfAnAgentOfAnEarlierVersion() throws {
        let earlier = """
            {"model":"Camera","bus":"usb","serial":"1","nodes":["zoom"],
             "zoom":{"min":1,"max":8,"handover":[],"actuators":[],"upscale_from":1,"gesture_timeout_ms":2000,"live_rate":30},
             "formats":[],"qualities":["high"],"recording":{"codec":"h264","max_duration_s":60,"audio":false},
             "shutter":{"primary":"photo","secondary":"record","long_press_ms":500},"controls":[]}
            """
        let info = try #require(JSON.value(CameraInfo.self, from: Array(earlier.utf8)))
        #expect(info.recording.keyFrameSeconds == nil && info.clients == nil && info.privacy == nil)
    }

    @Test func zoomState() {
        expect(
            stamped(zoom, rev: 118, zoom.origin),
            is: """
                {"factor":4,"target":4.5,"ramping":true,"min":1,"max":8,"position":0.428571,"optical":2,"digital":2,
                 "viewport":{"x":0.25,"y":0.25,"width":0.5,"height":0.5},"rev":118,"boot":7,
                 "origin":{"client":"hall-tablet","proved":false,"id":"a1b2","kind":"command"},"ts":"\(Self.ts)"}
                """, on: "camera/zoom")
        var moving = zoom
        moving.velocity = -0.5
        #expect(
            String(decoding: JSON.bytes(moving), as: UTF8.self).contains(#""ramping":true,"velocity":-0.5,"#))
    }

    @Test func liveSample() {
        expect(
            stamped(zoom.liveSample, rev: 118),
            is: """
                {"factor":4,"target":4.5,"position":0.428571,"optical":2,"digital":2,
                 "viewport":{"x":0.25,"y":0.25,"width":0.5,"height":0.5},"rev":118,"boot":7,"ts":"\(Self.ts)"}
                """, on: "camera/zoom/live")
    }

    @Test func pinchState() {
        let running = RunningGesture(
            gesture: "g7", client: ClientIdentity(claimed: "phone"), base: 2, scale: 4.0 / 3)
        expect(
            stamped(PinchState(running), rev: 121),
            is: """
                {"gesture":"g7","client":"phone","proved":false,"base":2,"scale":1.333333,"rev":121,"boot":7,"ts":"\(Self.ts)"}
                """, on: "camera/pinch")
        expect(Stamped<PinchState>?.none, is: "null", on: "camera/pinch")
    }

    @Test func controlsState() {
        expect(
            stamped(
                ControlsState(["brightness": .number(128), "autofocus": .flag(true)]), Origin(kind: .restore)),
            is: """
                {"values":{"brightness":128,"autofocus":true},"rev":3,"boot":7,"origin":{"kind":"restore"},"ts":"\(Self.ts)"}
                """, on: "camera/controls")
    }

    @Test func captureState() {
        expect(
            stamped(CaptureState(pending: 0, counter: 42, last: .example, pressed: [.secondary])),
            is: """
                {"pending":0,"counter":42,"last":\(PhotoFields.exampleJSON),"pressed":["secondary"],"rev":3,"boot":7,"ts":"\(Self.ts)"}
                """, on: "camera/capture")
        expect(
            stamped(CaptureState(pending: 1, counter: 0, last: nil, pressed: [])),
            is: #"{"pending":1,"counter":0,"last":null,"pressed":[],"rev":3,"boot":7,"ts":"\#(Self.ts)"}"#,
            on: "camera/capture")
    }

    @Test func numbersAreRoundedToAMillionthAndNoFurther() {
        #expect((1.0 / 3).forMessages == 0.333333)
        #expect(7.9999999.forMessages == 8)
        #expect(1.000001.forMessages == 1.000001)
        #expect(Double.infinity.forMessages == .infinity)
    }
}
