import Foundation
import Testing

@testable import Contract
@testable import FrontEnds

/// The discovery documents of four cameras, reviewed by a person.
///
/// `cameras/` has their `info` (taken by the broker tests and those against the
/// kernel's drivers), `golden/` the documents. After a change that is meant, they are made anew by `REMAKE=1
/// swift test --filter GoldenTests`, and read again; the broker tests hold each against Home Assistant's
/// rules.
@Suite struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let presets = ["simulated": ["Gate", "None", "home"], "ptz": ["Door", "Yard"]]

    @Test(arguments: ["simulated", "webcam", "ptz", "vivid"])
    func theDocumentIsAsItWasReviewed(camera: String) throws {
        let document = try document(of: camera)
        let golden = Self.folder.appending(path: "golden/\(camera).json")
        if ProcessInfo.processInfo.environment["REMAKE"] != nil { try document.write(to: golden) }
        #expect(try String(contentsOf: golden, encoding: .utf8) == String(decoding: document, as: UTF8.self))
    }

    @Test func sixtyControlsAreFarBelowWhatABrokerTakes() throws {
        let device = try device("vivid")
        #expect(device.info.controls.count >= 55)
        #expect(device.bytes().count < 100_000)
    }

    /// A broker keeps a document for each camera of a fleet, and Home Assistant reads all of them after each
    /// start.
    @Test(arguments: [("simulated", 11_200), ("webcam", 14_400), ("ptz", 18_000), ("vivid", 32_700)])
    func theDocumentIsSmall(camera: String, mostBytes: Int) throws {
        let bytes = try device(camera).bytes().count
        #expect(bytes <= mostBytes, "\(bytes) bytes")
    }

    @Test func aControlThatCanAlwaysBeSetHasTheAvailabilityOfTheDevice() throws {
        var device = try device("webcam")
        device.info.controls = [.init("x", "X", "toggle")]
        let without = String(decoding: device.bytes(), as: UTF8.self)
        #expect(!without.contains("selectattr('name','eq','x')"))
        device.disabledControls = ["x"]
        let with = String(decoding: device.bytes(), as: UTF8.self)
        #expect(with.contains("selectattr('name','eq','x')"))
    }

    /// Home Assistant before 2025.10 makes it of the names.
    @Test func anEntityIDThatFollowsFromTheNamesIsLeftOut() throws {
        var device = try device("webcam")
        device.info.controls = [
            .init("red_balance", "Red Balance", "toggle"), .init("blue", "Blue  Balance", "toggle"),
            .init("grun", "Grün", "toggle"), .init("hot_pixel", "Hot, pixel", "toggle"),
            .init("levels_10", "Levels,10", "toggle"),
        ]
        let text = String(decoding: device.bytes(), as: UTF8.self)
        for leftOut in ["red_balance", "hot_pixel", "zoom_stop"] {
            #expect(!text.contains(#""obj_id":"door_\#(leftOut)""#), "\(leftOut)")
            #expect(!text.contains(#".door_\#(leftOut)""#), "\(leftOut)")
        }
        for kept in ["blue", "grun", "levels_10"] {
            #expect(
                text.contains(#""obj_id":"door_\#(kept)","def_ent_id":"switch.door_\#(kept)""#), "\(kept)")
        }
    }

    @Test func whatACameraHasNoLongerIsRemoved() throws {
        let before = try device("ptz")
        var after = before
        after.info.controls.removeAll { $0.name != "brightness" }
        let text = String(decoding: after.bytes(known: before.components), as: UTF8.self)
        #expect(text.contains(#""number_contrast":{"p":"number"}"#))
        #expect(text.contains(#""switch_focus_automatic_continuous":{"p":"switch"}"#))
        #expect(text.contains(#""binary_sensor_privacy":{"p":"binary_sensor"}"#))
        #expect(!text.contains(#""number_brightness":{"p":"number"}"#))
    }

    @Test func whatEveryCameraHasIsRemovedTooWhenItGoes() throws {
        let device = try device("webcam")
        let text = String(
            decoding: device.bytes(known: ["select/old_thing", "nonsense", "nosuch/x"]), as: UTF8.self)
        #expect(text.contains(#""old_thing":{"p":"select"}"#) && !text.contains("nonsense"))
        #expect(!text.contains("nosuch"))
    }

    @Test func aControlOfAnotherKindIsAnotherComponent() throws {
        var device = try device("webcam")
        device.info.controls = [.init("x", "X", "toggle")]
        let before = Set(device.components)
        device.info.controls = [.slider("x", "X", min: 0, max: 1, step: 1)]
        #expect(before.subtracting(device.components) == ["switch/switch_x"])
        #expect(Set(device.components).subtracting(before) == ["number/number_x"])
    }

    @Test func aProvedClientHasTopicsOfItsOwn() throws {
        let open = String(decoding: try document(of: "ptz"), as: UTF8.self)
        let proved = String(decoding: try document(of: "ptz", client: "ha"), as: UTF8.self)
        let expected = open.replacing("/set\"", with: "/set/ha\"")
            .replacing("\\\"homeassistant\\\"", with: "\\\"ha\\\"")
            .replacing("'homeassistant'", with: "'ha'")
        #expect(proved == expected && proved != open)
    }

    @Test func whatCanOnlyBeReadIsShown() throws {
        var device = try device("webcam")
        var picker = CameraInfo.ControlDescriptor("x", "X", "picker")
        picker.options = [.init(value: 0, title: "None"), .init(value: 2, title: "Some")]
        let kinds: [(CameraInfo.ControlDescriptor, String?)] = [
            (.slider("x", "X", min: 0, max: 9, step: 1), "sensor/sensor_x"),
            (.discrete("x", "X", [1, 2]), "sensor/sensor_x"), (picker, "sensor/sensor_x"),
            (.init("x", "X", "toggle"), "binary_sensor/binary_sensor_x"),
            (.init("x", "X", "text"), "sensor/sensor_x"), (.init("x", "X", "button"), nil),
        ]
        let others = Set(try self.device("webcam").components)
        for (control, component) in kinds {
            device.info.controls = [control]
            device.info.controls[0].readOnly = true
            #expect(Set(device.components).subtracting(others) == Set([component].compactMap { $0 }))
            let text = String(decoding: device.bytes(), as: UTF8.self)
            #expect(!text.contains(#""name":"X","ic":"mdi:tune-variant","ent_cat":"config""#))
            if control.kind == "picker" {
                #expect(text.contains(#""ops":["(None)","Some"],"val_tpl":"{{ {0:'(None)',2:'Some'}"#))
                #expect(text.contains(#""dev_cla":"enum""#))
            }
        }
    }

    private func device(_ camera: String, client: String? = nil) throws -> DiscoveredDevice {
        let file = Self.folder.appending(path: "cameras/\(camera).json")
        let info = try #require(JSON.value(CameraInfo.self, from: [UInt8](Data(contentsOf: file))))
        return .door(info, presets: Self.presets[camera] ?? [], client: client)
    }

    /// A line for each field, in the document's own order.
    private func document(of camera: String, client: String? = nil) throws -> Data {
        var text = ""
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for byte in try device(camera, client: client).bytes() {
            let character = Character(UnicodeScalar(byte))
            let opens = !isQuoted && "{[".contains(character)
            let closes = !isQuoted && "}]".contains(character)
            if closes {
                depth -= 1
                if depth < 3 { text.append("\n" + String(repeating: " ", count: depth)) }
            }
            text.unicodeScalars.append(UnicodeScalar(byte))
            if opens { depth += 1 }
            if opens && depth <= 3 || !isQuoted && character == "," && depth <= 3 {
                text.append("\n" + String(repeating: " ", count: depth))
            }
            if character == "\"" && !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
        }
        return Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) + Data("\n".utf8)
    }
}
