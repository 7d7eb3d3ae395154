import Settings
import Testing

@testable import Configuration

@Suite struct ValueTests {
    @Test func namesForPeopleArePrintable() throws {
        let yaml = "agent_name: 'Haus am See'\ncameras: [{ id: door, name: 'Haustür 1' }]"
        let settings = try load(yaml).get().settings
        #expect(settings.name == "Haus am See" && settings.cameras[0].name == "Haustür 1")
        #expect(try load().get().settings.cameras[0].name == nil)
        let expected = "expected a printable text of at most 64 bytes, found"
        let long = String(repeating: "ü", count: 33)
        #expect(
            load("agent_name: \(long)\ncameras: [{ id: door, name: \"a\u{202E}b\" }]").lines == [
                "porch.yaml:1: agent_name: \(expected) \"\(long)\"",
                "porch.yaml:2: cameras.0.name: \(expected) \"a\u{202E}b\"",
            ])
    }

    @Test(arguments: [
        (
            "agent: Porch",
            "agent: expected a name of 1 to 64 of a-z, 0-9, _ and -, other than groups and fleet, found \"Porch\""
        ),
        (
            "agent: groups",
            "agent: expected a name of 1 to 64 of a-z, 0-9, _ and -, other than groups and fleet, found \"groups\""
        ),
        (
            "agent: ",
            "agent: expected a name of 1 to 64 of a-z, 0-9, _ and -, other than groups and fleet, found nothing"
        ),
        ("mqtt: { port: abc }", "mqtt.port: expected a whole number from 1 to 65535, found \"abc\""),
        ("mqtt: { port: 0 }", "mqtt.port: expected a whole number from 1 to 65535, found \"0\""),
        ("mqtt: { port: 65536 }", "mqtt.port: expected a whole number from 1 to 65535, found \"65536\""),
        ("mqtt: { port: 1e3 }", "mqtt.port: expected a whole number from 1 to 65535, found \"1e3\""),
        (
            "mqtt: { port: \"1883\" }",
            "mqtt.port: expected a whole number from 1 to 65535, found \"1883\" in quotes"
        ),
        ("mqtt: { port: [1] }", "mqtt.port: expected a whole number from 1 to 65535, found a list"),
        ("mqtt: { port: ~ }", "mqtt.port: expected a whole number from 1 to 65535, found nothing"),
        (
            "mqtt: { host: \"mqtt://x\" }",
            "mqtt.host: expected a host name or an address, without mqtt:// and without the port, found \"mqtt://x\""
        ),
        (
            "mqtt: { host: \"x:1883\" }",
            "mqtt.host: expected a host name or an address, without mqtt:// and without the port, found \"x:1883\""
        ),
        (
            "libcamera: ture", "libcamera: expected true, false or a path with a / in it, found \"ture\""
        ),
        ("mqtt: { protocol: 4 }", "mqtt.protocol: expected auto, 5 or 3.1.1, found \"4\""),
        (
            "mqtt: { keepalive_s: 4 }",
            "mqtt.keepalive_s: expected a whole number from 5 to 3600, found \"4\""
        ),
        (
            "mqtt: { keepalive_s: 3601 }",
            "mqtt.keepalive_s: expected a whole number from 5 to 3600, found \"3601\""
        ),
        (
            "mqtt: { connect_timeout_s: 0.5 }",
            "mqtt.connect_timeout_s: expected a number from 1 to 300, found \"0.5\""
        ),
        ("mqtt: { order: first }", "mqtt.order: expected listed or random, found \"first\""),
        (
            "mqtt: { hosts: [\"a:0\"] }",
            "mqtt.hosts: expected a host name or an address, with or without a port, such as b.example:1884 or [::1]:1884, found \"a:0\""
        ),
        ("mqtt: { hosts: [a, a] }", "mqtt.hosts: expected each host once, found \"a\""),
        (
            "mqtt: { hosts: a }",
            "mqtt.hosts: expected a list of at most 16 hosts, such as [a.example, b.example:1884, \"[::1]:1884\"], found \"a\""
        ),
        (
            "mqtt: { spread_s: 3601 }",
            "mqtt.spread_s: expected a whole number from 0 to 3600, found \"3601\""
        ),
        ("mqtt: { username: \"a\\0b\" }", "mqtt.username: expected a user name, found \"a\\0b\""),
        (
            "mqtt: 5",
            "mqtt: expected keys (host, port, hosts, order, connect_timeout_s, protocol, base_topic, response_topics, client_id, username, password_file, keepalive_s, spread_s, tls), found \"5\""
        ),
        (
            "captures: { max_bytes: 2X }",
            "captures.max_bytes: expected a size from 1K to 1024T, such as 500M or 2G, found \"2X\""
        ),
        (
            "captures: { max_bytes: 9999999999G }",
            "captures.max_bytes: expected a size from 1K to 1024T, such as 500M or 2G, found \"9999999999G\""
        ),
        ("captures: { retain_image: ja }", "captures.retain_image: expected true or false, found \"ja\""),
        (
            "captures: { retain_image: \"true\" }",
            "captures.retain_image: expected true or false, found \"true\""
        ),
        (
            "log: { level: loud }",
            "log.level: expected trace, debug, info, notice, warning, error or critical, found \"loud\""
        ),
        ("log: { format: xml }", "log.format: expected text or json, found \"xml\""),
        ("zoom: { live_rate: 121 }", "zoom.live_rate: expected a number from 1 to 120, found \"121\""),
        ("zoom: { live_rate: nan }", "zoom.live_rate: expected a number from 1 to 120, found \"nan\""),
        ("zoom: { live_rate: 0x10 }", "zoom.live_rate: expected a number from 1 to 120, found \"0x10\""),
        ("cameras: []", "cameras: expected a list with at least one camera (- id: NAME), found a list"),
        (
            "cameras: { id: a }",
            "cameras: expected a list with at least one camera (- id: NAME), found a group of keys"
        ),
        (
            "cameras: [{ id: a, groups: b }]",
            "cameras.0.groups: expected a list of names, such as [outside, street], found \"b\""
        ),
        ("cameras: [{ id: a, groups: [b, b] }]", "cameras.0.groups: expected each name once, found \"b\""),
        (
            "cameras: [{ id: a, groups: [B] }]",
            "cameras.0.groups: expected a name of 1 to 64 of a-z, 0-9, _ and -, found \"B\""
        ),
        (
            "cameras: [{ id: a, source: usb }]",
            "cameras.0.source: expected simulated, any, { v4l2: /dev/video0 }, { serial: NUMBER }, properties such as { kind: wide }, or a list of these, found \"usb\""
        ),
        ("cameras: [{ id: a, source: [] }]", "cameras.0.source: expected at least one source, found a list"),
        (
            "cameras: [{ id: a, source: { colour: red } }]",
            "cameras.0.source: expected kind, position, serial, model, driver or bus, found \"colour\""
        ),
        (
            "cameras: [{ id: a, source: [{ kind: wdie }] }]",
            "cameras.0.source: expected wide, ultrawide, tele, dual, dual_wide, triple, depth or infrared, found \"wdie\""
        ),
        (
            "cameras: [{ id: a, source: { position: left } }]",
            "cameras.0.source: expected front, back or external, found \"left\""
        ),
        (
            "cameras: [{ id: a, source: { v4l2: /dev/video0, kind: wide } }]",
            "cameras.0.source: expected v4l2 alone: a path names the device already, found a group of keys"
        ),
        (
            "cameras: [{ id: a, source: { kind: } }]",
            "cameras.0.source: expected wide, ultrawide, tele, dual, dual_wide, triple, depth or infrared, found nothing"
        ),
        (
            "cameras: [{ id: a, rotation: 45 }]",
            "cameras.0.rotation: expected 0, 90, 180, 270 or auto, found \"45\""
        ),
        (
            "cameras: [{ id: a, mirror: left }]",
            "cameras.0.mirror: expected none, horizontal or vertical, found \"left\""
        ),
        (
            "devices: [{ kind: wide }]",
            "devices: expected serial, model, driver or bus, by which the device is recognized, found a group of keys"
        ),
        (
            "devices: [{ serial: A1 }]",
            "devices: expected a kind or a position of the device, found a group of keys"
        ),
        ("cameras: [{ id: a, source: { v4l2: } }]", "cameras.0.source: expected a path, found nothing"),
        (
            "cameras: [{ id: a, zoom: { min: 0.5 } }]",
            "cameras.0.zoom.min: expected a number from 1 to 100, found \"0.5\""
        ),
        (
            "cameras: [{ id: a, zoom: { max: 101 } }]",
            "cameras.0.zoom.max: expected a number from 1 to 100, found \"101\""
        ),
        (
            "cameras: [{ id: a, simulated: { width: 15 } }]",
            "cameras.0.simulated.width: expected an even number from 16 to 8192, found \"15\""
        ),
        (
            "cameras: [{ id: a, simulated: { width: 17 } }]",
            "cameras.0.simulated.width: expected an even number from 16 to 8192, found \"17\""
        ),
        (
            "cameras: [{ id: a, simulated: { object_size: 0.6 } }]",
            "cameras.0.simulated.object_size: expected 0, or a number from 0.01 to 0.5, found \"0.6\""
        ),
        (
            "cameras: [{ id: a, simulated: { inject_fault: all } }]",
            "cameras.0.simulated.inject_fault: expected none, write_error, frame_error or mode_error, found \"all\""
        ),
    ])
    func aWrongValueIsNamedWithWhatWasExpected(yaml: String, message: String) {
        #expect(load(yaml).lines == ["porch.yaml:1: " + message])
    }

    @Test(arguments: [
        "a/+/b", "#", "/a", "a/", "$SYS", "", "+\u{301}", "/\u{301}", "$\u{301}",
        String(repeating: "x", count: 129),
    ])
    func anInvalidBaseTopicIsRefused(topic: String) {
        let found = topic.count > 40 ? topic.prefix(40) + "…" : topic[...]
        #expect(
            load("mqtt: { base_topic: \"\(topic)\" }").lines == [
                "porch.yaml:1: mqtt.base_topic: expected a topic of at most 128 bytes without + and #, and without / "
                    + "at its ends, found \"\(found)\""
            ])
    }

    @Test(arguments: ["a/+", "#", "+\u{301}/a", "a/#\u{301}", "$SYS/a", ""])
    func aButtonWithAnInvalidTopicIsRefused(topic: String) {
        let yaml = "cameras: [{ id: a, shutter: { buttons: [{ topic: \"\(topic)\", press: b }] } }]"
        #expect(
            load(yaml).lines == [
                "porch.yaml:1: cameras.0.shutter.buttons: expected a topic of at most 512 bytes without + and #, found "
                    + "\"\(topic)\""
            ])
    }

    @Test(arguments: [
        ("1024", 1024), ("64K", 65_536), ("3m", 3 << 20), ("2G", 2 << 30), ("1T", 1 << 40),
    ])
    func sizesHaveSuffixes(text: String, bytes: Int) throws {
        #expect(
            try load("captures: { max_bytes: \(text) }").get().settings.captures.folder.maximumBytes == bytes)
    }

    @Test func valuesAreReadInAllTheirForms() throws {
        let configuration = try load(
            """
            agent: "1"
            mqtt: { protocol: "5", host: fe80::1, base_topic: home/cameras, client_id: 42 }
            log: { level: critical, format: json }
            captures: { retain_image: True }
            cameras:
              - { id: a, source: { v4l2: /dev/video0 }, zoom: { min: 1.5, max: 3e0 } }
              - { id: b, source: { serial: 46D-0892 } }
              - { id: c, source: [{ serial: "7" }, simulated], simulated: { lens_speed: 0.25, fps: 15 } }
            """
        ).get()
        #expect(configuration.settings.agent == "1")
        #expect(configuration.settings.mqtt.clientID == "42")
        #expect(configuration.settings.captures.retainsImage)
        #expect(configuration.settings.log.level == .critical)
        #expect(configuration.settings.cameras[0].sources == [.v4l2(path: "/dev/video0")])
        #expect(configuration.settings.cameras[0].zoom == 1.5...3)
        #expect(configuration.settings.cameras[1].sources == [.serial("46D-0892")])
        #expect(configuration.settings.cameras[2].sources == [.serial("7"), .simulated])
        #expect(configuration.settings.cameras[2].simulation.lensSpeed == 0.25)
    }

    @Test(arguments: [
        ("", LibcameraUse.no), ("libcamera: false", .no), ("libcamera: true", .installed),
        ("libcamera: /opt/v4l2-compat.so", .file("/opt/v4l2-compat.so")),
    ])
    func libcameraIsUsedAsInstalledOrByAPath(_ yaml: String, _ use: LibcameraUse) throws {
        let settings = try load(yaml).get().settings
        #expect(settings.libcamera == use)
    }

    @Test func aSimulatedCameraHasASizeOnlyWhereItIsSet() throws {
        let cameras = try load("cameras: [{ id: a, simulated: { width: 640 } }, { id: b }]").get().settings
            .cameras
        #expect(cameras.map(\.simulation.width) == [640, nil])
        #expect(cameras.map(\.simulation.height) == [nil, nil])
    }

    @Test func anObjectMovesOnlyWhereItHasASize() throws {
        let cameras = try load(
            """
            cameras:
              - { id: a, simulated: { object_size: 0.2, object_period_s: 12.5 } }
              - { id: b, simulated: { object_size: 0 } }
            """
        ).get().settings.cameras
        #expect(cameras.map(\.simulation.objectSize) == [0.2, nil])
        #expect(cameras.map(\.simulation.objectPeriod) == [12.5, 20])
    }
}
