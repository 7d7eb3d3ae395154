import Contract
import Testing

@testable import FrontEnds

@Suite struct LabelTests {
    @Test(arguments: [
        (["Disabled", "50 Hz"], ["Disabled", "50 Hz"]),
        (["None", "none", "NONE"], ["(None)", "(none)", "(NONE)"]),
        (["Same", "Same", "Same"], ["Same", "Same (2)", "Same (3)"]),
        (["", "  ", "a"], ["0", "1", "a"]),
        (["1", ""], ["1", "1 (2)"]),
        ([" Wide\t", "\nTele"], ["Wide", "Tele"]),
        (["(None)", "None"], ["(None)", "(None) (2)"]),
    ])
    func eachOptionCanBePicked(titles: [String], labels: [String]) {
        #expect(Select.labels(titles) == labels)
    }
}

@Suite struct IdentityTests {
    @Test func itSaysWhoItIs() {
        let identity = HomeAssistantIdentity(base: "v4l2mqtt", agent: "porch", camera: "front-door")
        #expect(identity.device == "v4l2mqtt_front-door_AT_porch")
        #expect(identity.title == "Front door")
        #expect(identity.slug == "front_door")
        #expect(
            Topics(base: "v4l2mqtt", agent: "porch").discovery(of: "front-door", below: "homeassistant")
                == "homeassistant/device/v4l2mqtt_front-door_AT_porch/config")
    }

    @Test func aNameForPeopleIsTheTitleAndChangesNoId() {
        let identity = HomeAssistantIdentity(
            base: "v4l2mqtt", agent: "porch", camera: "front-door", title: "Haustür")
        #expect((identity.title, identity.slug) == ("Haustür", "front_door"))
        #expect(identity.entityID(ofName: "Zoom") != "front_door_zoom")
    }

    /// The same model on two machines, both without a configured name.
    @Test func whatIsCalledByItsModelHasItsAgentsNameToo() {
        let identity = HomeAssistantIdentity(
            base: "v4l2mqtt", agent: "porch", camera: "hd-webcam", isNamed: false)
        #expect((identity.title, identity.slug) == ("Porch hd webcam", "porch_hd_webcam"))
        #expect(identity.device == "v4l2mqtt_hd-webcam_AT_porch")
    }

    @Test func noTwoCamerasAreTheSame() {
        let names = ["a", "a_b", "b", "_", "__", "a-b"]
        let bases = ["v4l2mqtt", "a/b", "a_b", "a", "ü"]
        var ids: Set<String> = []
        for base in bases {
            for agent in names {
                for camera in names {
                    ids.insert(HomeAssistantIdentity(base: base, agent: agent, camera: camera).device)
                }
            }
        }
        #expect(ids.count == bases.count * names.count * names.count)
        #expect(ids.allSatisfy { $0.utf8.allSatisfy { $0 < 128 && $0 != UInt8(ascii: "/") } })
    }

    @Test(arguments: ["door", "front-door", "_", "a_at_b"]) func anAgentKnowsItsOwnTopics(camera: String) {
        for base in ["v4l2mqtt", "house/cams"] {
            let topics = Topics(base: base, agent: "porch")
            let topic = topics.discovery(of: camera, below: "a/ha")
            #expect(topics.camera(ofDiscovery: topic) == camera)
            #expect(Topics(base: base, agent: "gate").camera(ofDiscovery: topic) == nil)
            #expect(Topics(base: "cams", agent: "porch").camera(ofDiscovery: topic) == nil)
        }
    }

    @Test(arguments: [
        "", "config", "ha/device/v4l2mqtt__AT_porch/config", "ha/device/v4l2mqtt_door_AT_porch",
        "ha/sensor/v4l2mqtt_door_AT_porch/config", "device/v4l2mqtt_door_AT_porch/config",
        "ha/device/other_door_AT_porch/config",
    ])
    func otherTopicsAreNoDocuments(topic: String) {
        #expect(Topics(base: "v4l2mqtt", agent: "porch").camera(ofDiscovery: topic) == nil)
    }
}
