import Core
import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// The names of an agent's subscriptions.
enum MQTTFrontEndFilters {
    static func names(_ settings: AgentSettings) -> [String] {
        MQTTFrontEnd.filters(settings).map(\.filter)
    }
}

/// How messages of cameras are delivered: topics, QoS, retain flag and properties.
struct PublicationTests {
    let bench = AgentBench()

    @Test func statesAreRetained() {
        for topic in ["availability", "info"] + ["zoom", "controls", "session", "lease", "presets"] {
            let messages = bench.bus.messages(on: "v4l2mqtt/porch/door/\(topic)")
            #expect(!messages.isEmpty && messages.allSatisfy(\.isRetained), "\(topic)")
        }
    }

    @Test func samplesAreDroppedWhenTheBrokerIsSlow() {
        bench.deliver("v4l2mqtt/porch/door/zoom/set", #"{"factor": 4, "rate": 1}"#)
        bench.advance(by: .seconds(1))
        let samples = bench.bus.messages(on: "v4l2mqtt/porch/door/zoom/live")
        #expect(samples.count > 10)
        #expect(samples.allSatisfy { !$0.isRetained && $0.qos == .atMostOnce })
        bench.bus.hasCapacity = false
        bench.advance(by: .milliseconds(500))
        #expect(bench.bus.messages(on: "v4l2mqtt/porch/door/zoom/live").count == samples.count)
    }

    @Test(arguments: [true, false]) func aPhotoIsRetainedAsConfigured(isRetained: Bool) {
        let bench = AgentBench(captures: CaptureSettings(retainsImage: isRetained))
        bench.deliver("v4l2mqtt/porch/door/capture/set", "{}")
        bench.advance(by: .seconds(1))
        let photo = bench.bus.messages(on: "v4l2mqtt/porch/door/image").last
        #expect(photo?.isRetained == isRetained && photo?.properties?.contentType == "image/jpeg")
        #expect(photo?.properties?.user.isEmpty == false)
    }

    @Test func previewFramesSayWhatTheyAre() {
        bench.deliver("v4l2mqtt/porch/door/preview/set", #"{"client": "phone"}"#)
        bench.advance(by: .seconds(1))
        let frame = bench.bus.messages(on: "v4l2mqtt/porch/door/preview/live").last
        #expect(frame?.properties?.contentType == "image/jpeg" && frame?.qos == .atMostOnce)
        let names = frame?.properties?.user.map(\.name)
        #expect(
            names == [
                "frame", "exposed_at", "width", "height", "factor", "optical", "viewport.x", "viewport.y",
                "viewport.width", "viewport.height", "rev", "boot",
            ])
    }

    /// MQTT 3.1.1 has no properties: nothing is made for them.
    @Test func previewFramesHaveNoUserPropertiesWithMQTT311() {
        let bench = AgentBench(protocolVersion: .v311)
        bench.deliver("v4l2mqtt/porch/door/preview/set", #"{"client": "phone"}"#)
        bench.advance(by: .seconds(1))
        let frames = bench.bus.messages(on: "v4l2mqtt/porch/door/preview/live")
        #expect(!frames.isEmpty && frames.allSatisfy { $0.properties?.user.isEmpty == true })
    }

    @Test func eventsAreNotRetained() {
        bench.deliver("v4l2mqtt/porch/door/zoom/set", "{")
        let event = bench.bus.messages(on: "v4l2mqtt/porch/door/event").last
        #expect(event?.isRetained == false && event?.qos == .atLeastOnce)
    }

    @Test func theAgentIsPublishedBesideItsCameras() {
        bench.frontEnd.publishAgent(Availability(.online, boot: 3))
        let message = bench.bus.messages(on: "v4l2mqtt/porch/availability").last
        #expect(
            message?.isRetained == true && message?.json["state"] == "online" && message?.json["boot"] == 3)
    }

    @Test func messagesOfUnknownCamerasAreLeftOut() {
        let count = bench.bus.messages.count
        bench.frontEnd.publishState(
            Availability(.online), encoded: [1], on: .availability, of: "nosuch")
        #expect(!bench.frontEnd.publishSample([1], on: .zoomSample, of: "nosuch"))
        #expect(bench.bus.messages.count == count)
    }

    /// Photos on `image`, and those that are answers to commands of the camera or of a group.
    @Test(arguments: [true, false]) func allPhotosOfAPrivateCameraAreWithdrawn(isRetained: Bool) {
        let bench = AgentBench(
            [CameraSettings(id: "door", groups: ["outside"]), CameraSettings(id: "yard")],
            captures: CaptureSettings(retainsImage: isRetained))
        for topic in ["porch/door", "porch/yard", "groups/outside"] {
            bench.deliver(
                "v4l2mqtt/\(topic)/capture/set", #"{"reply": "image"}"#, responseTopic: "replies/phone")
        }
        bench.advance(by: .seconds(1))
        let image = "v4l2mqtt/porch/door/image"
        let photos = bench.bus.messages.filter { $0.properties?.contentType == "image/jpeg" }
        #expect(photos.count == 6)
        let groups = photos.filter { !$0.isRetained }.map(\.group)
        #expect(groups.count { $0 == image } == (isRetained ? 2 : 4))
        #expect(groups.allSatisfy { $0 == image || $0 == "v4l2mqtt/porch/yard/image" })
        let count = bench.bus.messages.count
        bench.deliver("v4l2mqtt/porch/door/privacy/set", "ON")
        #expect(bench.bus.withdrawn == [image])
        let published = bench.bus.messages[count...]
        let cleared = published.firstIndex { $0.topic == image && $0.payload.isEmpty && $0.isRetained }
        let state = published.firstIndex { $0.topic == "v4l2mqtt/porch/door/privacy" }
        #expect((cleared ?? .max) < (state ?? -1) && bench.state(.privacy)["state"] == "ON")
    }
}
