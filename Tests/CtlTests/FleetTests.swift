import Base
import Ctl
import Fleet
import Testing

@testable import Bus
@testable import Contract
@testable import Settings

/// The state of agents and cameras, and `ctl list`.
@Suite struct FleetTests {
    private func list(_ fleet: CtlFleet, _ selection: CtlOptions = options()) -> [String] {
        FleetTable(fleet, fleet.addresses, selection).lines.map(\.text)
    }

    /// What `ctl list` prints where the broker retains these messages.
    private func listed(_ selection: CtlOptions, _ retained: [BusMessage]) -> GroupRig {
        var rig = GroupRig { CtlSession.list(selection, $0) }
        rig.connect(retained, waiting: .milliseconds(1700))
        for message in retained { rig.receive(message) }
        rig.wait(.seconds(4))
        return rig
    }

    @Test func aRowForEachCameraAndEachAgentWithoutOne() throws {
        let fleet = fleet(
            options(), agentInfo("porch", cameras: "gate", "door"), availability("porch", .online, boot: 1),
            message("porch/gate/info", JSON.bytes(cameraInfo())), availability("porch/gate", .online),
            availability("porch/door", .offline, reason: "not_found"), zoom("porch/gate", zoomState(4)),
            message("porch/gate/recording", JSON.bytes(recordingState(.recording, path: "/r/1.mkv"))),
            availability("barn", .online, boot: 1), agentInfo("hall", cameras: "door"),
            availability("hall", .stopped),
            message("hall/door/recording", JSON.bytes(recordingState(.recording, path: "/r/2.mkv"))))
        #expect(
            list(fleet) == [
                "CAMERA      STATE                          MODEL  ZOOM  RECORDING  LAST ERROR",
                "barn/       online                         -      -     -          -",
                "hall/door   stopped: the agent is stopped  -      -     -          -",
                "porch/door  offline: not_found             -      -     -          -",
                "porch/gate  online                         Model  4×    recording  -",
            ])
        #expect(
            list(fleet, options(json: true)) == [
                #"[{"agent":"barn","state":"online"},"#
                    + #"{"agent":"hall","camera":"door","state":"stopped","reason":"the agent is stopped"},"#
                    + #"{"agent":"porch","camera":"door","state":"offline","reason":"not_found"},"#
                    + #"{"agent":"porch","camera":"gate","state":"online","model":"Model","serial":"1","zoom":4,"#
                    + #""recording":"recording","path":"/r/1.mkv"}]"#
            ])
    }

    @Test func nothingIsKnownAboutTheCamerasOfASilentAgent() throws {
        let start = ContinuousClock.now
        var fleet = fleet()
        let online = Availability(.online, boot: 1, renewSeconds: 60)
        for message in [
            message("porch/availability", JSON.bytes(online)), agentInfo("porch", cameras: "door"),
            availability("porch/door", .online),
        ] { fleet.update(with: message, at: start) }
        func states(after time: Duration) -> [String] {
            FleetTable(fleet, fleet.addresses, options(), at: start + time).lines.dropFirst().map(\.text)
        }
        let known = states(after: .seconds(179))
        #expect(known.count == 1 && known[0].hasPrefix("porch/door  online "))
        let silent = states(after: .seconds(180))
        #expect(silent.count == 1 && silent[0].hasPrefix("porch/door  unknown: the agent is silent "))
        let page = FleetView().lines(
            fleet, fleet.addresses, columns: 100, rows: 10, now: Timestamp.now, at: start + .seconds(180)
        )
        .map { $0.text(columns: 100, hasColours: false) }
        #expect(page[0].contains("0 of 1 online") && page[3].contains("unknown"))
        fleet.update(with: message("porch/availability", JSON.bytes(online)), at: start + .seconds(200))
        #expect(states(after: .seconds(379))[0].hasPrefix("porch/door  online "))
    }

    /// The broker has forgotten the availability of an agent that died together with its node.
    @Test func anAgentWithoutAvailabilityIsUnknownWhateverItsCamerasSay() throws {
        let fleet = fleet(
            options(), agentInfo("porch", cameras: "door"), availability("porch/door", .online))
        #expect(list(fleet).last?.hasPrefix("porch/door  unknown: the agent is silent ") == true)
        #expect(list(fleet, options(json: true)).last?.contains(#""state":"unknown""#) == true)
    }

    @Test func aPrivateCameraIsListedAsThat() throws {
        let fleet = fleet(
            options(), agentInfo("porch", cameras: "door"), availability("porch", .online, boot: 1),
            availability("porch/door", .online, reason: "private"))
        #expect(list(fleet)[1].hasPrefix("porch/door  online: private"))
        #expect(list(fleet, options(json: true))[0].contains(#""state":"online","reason":"private""#))
    }

    /// The `info` of an agent with the camera `door`.
    private func info(
        _ agent: String, fleet: FleetFields? = nil, sameName: SameNameFields? = nil
    ) -> BusMessage {
        let info = AgentInfo(
            agent: agent, version: "1", protocol: 1, host: "host", cameras: ["door"], clients: .open,
            started: timestamp, sameName: sameName, fleet: fleet)
        return message("\(agent)/info", JSON.bytes(info))
    }

    @Test func theConfigurationOfTheFleetAndASecondDeviceAreShown() throws {
        let error = CommandError(.forbidden, "a key of each device", field: "mqtt.host")
        let unreadable = CommandError(.badPayload, "no JSON object")
        let fleet = fleet(
            options(), info("a", fleet: .init(version: 7)), info("b"),
            info("c", fleet: .init(version: 7, refused: .init(version: 8, error: error))),
            info("d", fleet: .init(refused: .init(version: nil, error: unreadable))),
            info("e", sameName: .init(host: "copy\u{1B}", at: timestamp)),
            info("f", sameName: .init(host: nil, at: timestamp)))
        let unknown = "unknown: the agent is silent  -      -     -        "
        #expect(
            list(fleet) == [
                "CAMERA  STATE                         MODEL  ZOOM  RECORDING  FLEET                 LAST ERROR",
                "a/door  \(unknown)  7                     -",
                "b/door  \(unknown)  -                     -",
                "c/door  \(unknown)  7, not 8              -",
                "d/door  \(unknown)  none, not the newest  -",
                "e/door  \(unknown)  -                     -",
                "f/door  \(unknown)  -                     -",
                "c: fleet/config 8 is refused: forbidden: mqtt.host: a key of each device",
                "d: fleet/config is refused: bad_payload: no JSON object",
                "e: another device (copy\\u001b) uses this name too, last seen at \(timestamp)",
                "f: another device uses this name too, last seen at \(timestamp)",
            ])
        let rows = try #require(JSON(Array(list(fleet, options(json: true))[0].utf8))?.list)
        let objects = rows.compactMap(\.object)
        #expect(objects[0]["fleet"]?.object?["version"] == .integer(7) && objects[1]["fleet"] == nil)
        let refused = objects[2]["fleet"]?.object?["refused"]?.object
        #expect(refused?["version"] == .integer(8))
        #expect(refused?["error"]?.object?["field"] == .text("mqtt.host"))
        #expect(objects[4]["same_name"]?.object?["at"] == .text(timestamp) && objects[0]["same_name"] == nil)
    }

    @Test func aRefusedConfigurationComesOnceWithTheNumberOfAgents() {
        let refused = FleetFields.Refusal(version: 8, error: CommandError(.forbidden, "No."))
        let fleet = fleet(
            options(), info("a", fleet: .init(refused: refused)), info("b", fleet: .init(refused: refused)))
        #expect(list(fleet).last == "2 agents (a, b): fleet/config 8 is refused: forbidden: No.")
    }

    @Test func aGroupSelectsItsCameras() throws {
        var selection = options()
        selection.group = "stage"
        let retained = member("hall") + member("attic", of: ["all"]) + member("cellar", of: nil)
        let rig = listed(selection, retained + [agentInfo("empty")])
        #expect(rig.lines.dropFirst().map { $0.prefix(9) } == ["hall/door"])
        selection.group = "nosuch"
        #expect(
            listed(selection, member("hall")).errors
                == ["No camera belongs to the group nosuch; there is stage."])
    }

    @Test func theLastErrorIsTheNewestOfRecordingAndDesiredState() throws {
        let error = CommandError(.storageFull, "No room.")
        let failed = recordingState(.idle, last: recording(.diskFull, error: error))
        let stuck = DesiredState.Known(
            group: nil, version: 1, outcome: .failed, error: CommandError(.device, "Stuck."))
        var desired = stamped(DesiredState(stuck))
        desired.stamp.ts = "2026-01-02T03:04:06.000Z"
        var fleet = fleet(
            options(), agentInfo("porch", cameras: "door"),
            message("porch/door/recording", JSON.bytes(failed)))
        #expect(list(fleet)[1].hasSuffix("storage_full: No room."))
        fleet.update(with: message("porch/door/desired", JSON.bytes(desired)))
        #expect(list(fleet)[1].hasSuffix("device: Stuck."))
    }

    @Test func namesThatDoNotExistAreErrors() throws {
        let retained = [
            agentInfo("porch", cameras: "door"), availability("porch", .stopped),
            agentInfo("hall", cameras: "yard"), availability("hall", .stopped),
        ]
        func error(_ selection: CtlOptions) -> String? { listed(selection, retained).errors.first }
        #expect(error(options(agent: "nope")) == "There is no agent nope; there is hall, porch.")
        #expect(error(options(camera: "nope")) == "There is no camera nope; there is hall/yard, porch/door.")
        #expect(
            error(options(agent: "porch", camera: "yard")) == "There is no camera yard; there is porch/door.")
        #expect(error(options(agent: "porch", camera: "door")) == nil)
        #expect(list(fleet()) == ["There is no camera below v4l2mqtt/ at broker:1883."])
        #expect(list(fleet(), options(json: true)) == ["[]"])
    }

    /// One agent must not fill the memory with states: above 512 KiB they are left out, and named.
    @Test func aStateThatIsTooLargeIsNamed() {
        func rig(bytes: Int) -> GroupRig {
            listed(
                options(),
                [
                    agentInfo("porch", cameras: "door"), availability("porch", .stopped),
                    message("porch/door/zoom", [UInt8](repeating: UInt8(ascii: " "), count: bytes)),
                ])
        }
        #expect(rig(bytes: 512 << 10).exitCodes == [0])
        let tooLarge = rig(bytes: 512 << 10 + 1)
        #expect(tooLarge.errors == ["Incomplete: left out: porch/door/zoom (524289 bytes)."])
        #expect(tooLarge.exitCodes == [1] && tooLarge.lines.count == 2)
    }

    @Test func onlySelectedCamerasAreKept() {
        let selection = options(agent: "porch", camera: "door")
        let fleet = fleet(
            selection, agentInfo("porch", cameras: "door", "gate"), agentInfo("hall", cameras: "door"),
            availability("porch/gate", .online), zoom("hall/door", zoomState(2)))
        #expect(fleet.addresses.map(\.description) == ["porch/door"])
        #expect(fleet.agents.keys.sorted() == ["porch"])
    }

    @Test func emptyMessagesRemoveAgentsAndCameras() {
        var fleet = fleet(
            options(), agentInfo("porch", cameras: "door"), availability("porch", .online),
            availability("porch/door", .online), zoom("porch/door", zoomState(2)))
        fleet.update(with: message("porch/door/zoom", ""))
        #expect(fleet.addresses.count == 1 && list(fleet)[1].contains("-     -"))
        fleet.update(with: message("porch/info", ""))
        fleet.update(with: message("porch/availability", ""))
        #expect(fleet.addresses.isEmpty && fleet.agents.isEmpty)
    }

    @Test func anOlderZoomStateAndForeignTopicsChangeNothing() throws {
        var fleet = fleet(
            options(), agentInfo("porch", cameras: "door"), availability("porch", .online),
            availability("porch/door", .online), zoom("porch/door", zoomState(2, rev: 5)))
        fleet.update(with: zoom("porch/door", zoomState(3, rev: 4)))
        fleet.update(with: message("porch/door/zoom", "nonsense"))
        fleet.update(with: message("porch/Door/zoom", "{}"))
        fleet.update(with: message("porch", "{}"))
        #expect(list(fleet).count == 2)
        #expect(list(fleet)[1].contains("2×"))
        // Another boot counts from the beginning.
        fleet.update(with: zoom("porch/door", zoomState(3, rev: 1, boot: 2)))
        #expect(list(fleet)[1].contains("3×"))
    }
}
