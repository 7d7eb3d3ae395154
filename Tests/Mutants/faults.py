"""The faults that Tests/Mutants/run plants in the targets of Sources."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Fault:
    name: str
    # A path in the folder of the target; `code` stands there once, and is replaced by `faulty`.
    file: str
    code: str
    faulty: str
    # The names of tests or of their suites, or how these begin, with `|` between them. One has to fail.
    detected_by: str = ""
    target: str = "CameraCore"
    # The test target; empty: that of the target.
    suite: str = ""
    # Invariants, with `|` between them. The property test of the core has to report one as broken.
    breaks: str = ""

    def __post_init__(self):
        self.suite = self.suite or f"{self.target}Tests"

    def path(self, package: Path) -> Path:
        return package / "Sources" / self.target / self.file

    @property
    def tests(self) -> str:
        """The tests that are run first: a regular expression for their names."""
        return "|".join(filter(None, [self.detected_by, self.breaks and "theInvariantsHold"]))

    @property
    def failures(self) -> str:
        """A regular expression for the lines that report what the fault breaks."""
        return "|".join(filter(None, [self.detected_by, self.breaks and rf"↳ ({self.breaks}):"]))


FAULTS = [
    # CommandGate: an admitted request gets exactly one final answer.
    Fault("controls are not failed", "Nodes/ControlsNode.swift",
          "for (_, then) in callbacks { then(.failure(cause.error)) }", "",
          "aControlIsBeingSet|aPresetIsBeingShown"),
    Fault("changes of controls have no shares", "Nodes/ControlChanges.swift",
          "FairShare.placeToFree(waiting.map(\\.owner), for: owner)", "Optional<Int>.none",
          "aClientWithManyChangesMakesRoomForAnother"),
    Fault("waiting captures are forgotten", "Nodes/CaptureNode.swift",
          "for job in jobs { context.refuse(job.request, error) }", "", breaks="answers|stop"),
    Fault("a repeated version is accepted only", "Nodes/DesiredNode.swift",
          "self.application?.repetitions.append(request)", "", breaks="answers|stop"),
    Fault("a superseded version is answered twice", "Nodes/DesiredNode.swift",
          "if let application { conclude(application.version, .superseded, nil) }",
          "if let application { context.reply(.superseded, to: application.request); "
          "conclude(application.version, .superseded, nil) }", breaks="answers"),
    Fault("a released button is forgotten", "Nodes/ShutterButtons.swift",
          "context.refuse(shot.release, cause.error)", "", breaks="answers|stop"),
    Fault("an unplugged press is forgotten", "Nodes/ShutterButtons.swift",
          "for (key, press) in held { abandon(press, key, reason) }", "presses = [:]",
          "theReleaseAfterAnUnplug"),
    Fault("the starter of a recording is forgotten", "Nodes/RecordingNode.swift",
          "context.refuse(starter, error)", "_ = (starter, error)", breaks="stop"),
    # Shares: no client locks out another one.
    Fault("a client keeps all its places", "FairShare.swift", "own == 0 || most > own + 1", "own > most",
          "aClientThatWaitsManyTimesMakesRoom|seriesThatWaitTakeNoRoom"),
    Fault("a known client makes room for a new one", "FairShare.swift", "lowest <= newcomer.standing", "true",
          "newNamesMakeRoomForKnownOnes"),
    Fault("a slow zoom keeps the others waiting", "Nodes/CaptureNode.swift",
          "min(context.now, others.min() ?? context.now)", "max(context.now, others.max() ?? context.now)",
          "slowZoomsOfOthers"),
    Fault("a zoom goes on after its capture failed", "Nodes/CaptureNode.swift",
          "zoom.move(.stop, origin: job.request.origin(.command)) { _ in }", "",
          "theZoomOfACaptureThatTakesTooLong|slowZoomsOfOthers"),
    Fault("captures come in the order of their commands", "Nodes/CaptureNode.swift",
          "due.min(by: { queue[$0].turn < queue[$1].turn })", "due.first", "clientsTakeTurns"),
    Fault("a client ends the captures of others", "Nodes/CaptureNode.swift",
          "job.client == request.client\n                &&", "true &&", "oneCaptureIsEndedByItsID|aClientEndsItsCaptures"),
    Fault("a series goes on after its end", "Nodes/CaptureNode.swift",
          "if job.remaining > 0 && !job.isStopped {", "if job.remaining > 0 {", "thePhotoThatIsBeingStoredIsTheLast"),
    Fault("a version may be the highest number", "Nodes/DesiredNode.swift",
          "command.version - newest > Self.maxStep", "command.version < 0", "theHighestVersionDoesNotEndTheCount"),
    Fault("cameras are never forgotten", "SavedState.swift",
          "unserved.dropFirst(Self.maxUnserved)", "unserved.dropFirst(1_000)",
          "camerasThatWereNotServedForLongestAreForgotten", target="Agent"),
    Fault("a client displaces the commands of others", "RecentCommands.swift",
          "if most.value.count > Self.safe {", "if most.value.count > Self.maxCount {",
          "aClientThatSendsManyCommandsDisplacesItsOwn"),
    Fault("clients of every standing make room", "FairShare.swift",
          "owners.indices.filter { owners[$0].standing == lowest }", "Array(owners.indices)",
          "namesThatClientsGiveThemselvesMakeRoomForProvedOnes"),
    # Device: each completion once.
    Fault("completions are called again", "Device.swift",
          "guard let self, pending.removeValue(forKey: number) != nil else { return }",
          "guard let self else { return }; pending[number] = nil", breaks="completions"),
    Fault("completions are forgotten at the end of a device", "Device.swift",
          "for (_, fail) in unanswered { fail(.unplugged) }", "_ = unanswered",
          "controlsAreReassertedAgain"),
    Fault("a leaving device counts as ready", "Device.swift",
          "case .arriving, .restoring, .ready: presence = .leaving",
          "case .arriving, .restoring, .ready: break",
          "aWaitingCaptureDoesntMoveTheZoom", breaks="readBack"),
    # PrivacyNode: no picture after the state ON.
    Fault("a private camera is announced before its recording has ended", "Nodes/PrivacyNode.swift",
          "            !recording.isActive\n        else { return }", "            true\n        else { return }",
          "theStateWaitsUntilTheRecordingHasEnded"),
    Fault("a private camera is announced before its photos are gone", "Nodes/PrivacyNode.swift",
          "!closing.waitsForDevice, !closing.waitsForPhotos,", "!closing.waitsForDevice,",
          "theStateWaitsUntilNoPhotoIsStored"),
    Fault("published photos stay when a camera becomes private", "Nodes/PrivacyNode.swift",
          "        context.withdrawPictures()\n        publish()", "        publish()", "picturesAreWithdrawnBeforeTheState"),
    Fault("a private camera finishes its photos", "Device.swift",
          "        context.failPending(.privacy)\n", "", "aPhotoUnderWayIsRefusedAndNotPublished", breaks="privacy"),
    # Privacy: what is refused, who may switch it off, and that it outlives the agent.
    Fault("a command of a private camera is carried out", "Presence.swift",
          "case .private: .private", "case .private: nil", "whatNeedsTheDeviceIsRefused"),
    Fault("privacy is not saved", "Nodes/PrivacyNode.swift",
          "func save(to state: inout SavedCamera) { state.privacy = setting }",
          "func save(to state: inout SavedCamera) {}", "afterARestartTheDeviceIsNotOpened|aSwitchThatIsUnderWayIsKept"),
    Fault("a name that is not proved switches privacy off", "Nodes/PrivacyNode.swift",
          "if let client, client.isProved, permitted", "if let client, permitted", "onlyTheClientsOfTheListMaySwitchOff"),
    # CameraContext: rev grows where a change is stamped, and nowhere else.
    Fault("a photo is a change", "Nodes/CaptureNode.swift",
          "pending: pending, counter: counter, last: lastPhoto, pressed: pressed, rev: context.rev,",
          "pending: pending, counter: counter, last: lastPhoto, pressed: pressed, rev: context.stamp(),",
          breaks="revisions"),
    Fault("a change has no number", "ReservedNumbers.swift", "current = max(current, number)", "", breaks="revisions"),
    # ZoomNode: what is published was read back.
    Fault("the wanted position of the lens is published", "Nodes/ZoomNode.swift",
          "position: zoom.position, optical: zoom.optical,",
          "position: zoom.position, optical: min(zoom.target, model.settings.opticalMax),",
          breaks="readBack"),
    # ModeUse: no change of the mode while frames are recorded.
    Fault("the mode can be claimed twice", "Device.swift",
          "guard modeUse == .free else { return nil }", "", breaks="mode"),
    Fault("a claim on a replaced device releases the mode", "Device.swift",
          "guard claim.number == lastClaim, modeUse != .free else { return }",
          "guard modeUse != .free else { return }",
          "theEndOfARecordingOnAReplacedDevice", breaks="mode"),
    # StateKeeper: no number above the saved one is used; the core's part of it is the reserve.
    Fault("less is reserved than used", "CameraContext.swift",
          "isStopped ? numbers.current : numbers.reserve", "isStopped ? numbers.current : numbers.current - 1",
          breaks="reserve"),
    # CameraContext: a final answer waits until its change is stored.
    Fault("an answer does not wait for the disk", "CameraContext.swift",
          "        whenSaved { error in\n            if error != nil",
          "        saveChanges()\n        do {\n            let error: CommandError? = nil\n            if error != nil",
          "aFinalAnswerWaitsForTheDisk"),
    Fault("an abandoned answer is forgotten", "StateSaves.swift",
          "while !waiting.isEmpty { callFirst(.notStored) }", "waiting = []",
          "aStopDoesNotWaitForADiskThatHangs", breaks="stop"),
    Fault("a preset that is not stored is kept", "Nodes/PresetsNode.swift",
          "if presets[name] == preset { presets[name] = stored[name] }", "", "aPresetThatIsNotStoredIsRefused"),
    # RecordingHistory: a recording that began is in the saved state until its end was reported.
    Fault("a recording is saved at its end only", "Nodes/RecordingNode.swift",
          "history.fileBegan(recording.interruptedFields(path))", "", "RecordingCrashTests"),
    Fault("an interrupted recording is forgotten when another begins", "Nodes/RecordingHistory.swift",
          "interrupted + (unfinished.map { [$0] } ?? [])", "unfinished.map { [$0] } ?? interrupted",
          "aRecordingThatBeginsMeanwhile"),
    # Lifecycle: `stopped` comes last.
    Fault("stopped before the answers", "Camera.swift",
          "        context.failPending(.stopping)\n        context.post(.stopped)\n",
          "        context.post(.stopped)\n        context.failPending(.stopping)\n",
          breaks="stop"),
    Fault("published after the stop", "Camera.swift",
          "        context.finishStop()\n", "", breaks="stop"),
    # Other defects that were fixed.
    Fault("the interval counts from the last photo", "Nodes/CaptureJob.swift",
          "due = first.advanced(by: interval * intervals)", "due = now.advanced(by: interval)",
          "aMissedTimeIsSkipped|photosComeAtWholeIntervals"),
    Fault("a repeated reassertion is forgotten", "Nodes/ControlsNode.swift",
          "if case .running(isRepeated: true) = ended { reassert() }", "if false { reassert() }",
          "aChangeDuringAReassertion"),
    Fault("a device is attached while another one is released", "Device.swift",
          "if isHandlingReport { return }", "", "aDeviceThatIsFoundWhileAnotherOneIsReleased"),
    Fault("a waiting version ignores the lease", "Nodes/DesiredNode.swift",
          "        if refuseIfHeld(command, request) { return }\n        guard let wanted = command.session",
          "        guard let wanted = command.session", "aLeaseThatIsTakenWhileAVersionWaits"),
    # OutputHub: a message is encoded once, and each front end gets it.
    Fault("only the first front end gets states", "OutputHub.swift",
          "        for frontEnd in frontEnds {\n            frontEnd.publishState(",
          "        for frontEnd in frontEnds.prefix(1) {\n            frontEnd.publishState(",
          "everyMessageReachesEachFrontEnd", "Agent"),
    Fault("a message is encoded for each front end", "OutputHub.swift",
          "frontEnd.publishState(state, encoded: encoded,", "frontEnd.publishState(state, encoded: JSON.bytes(state),",
          "aMessageIsEncodedOnce", "Agent"),
    Fault("one front end with capacity is enough", "OutputHub.swift",
          "frontEnds.allSatisfy(\\.hasCapacity)", "frontEnds.contains(where: \\.hasCapacity)",
          "thereIsCapacityIfAllFrontEndsHaveIt", "Agent"),
    # StateKeeper: no number is used that the disk does not have as reserved.
    Fault("no numbers are reserved", "StateKeeper.swift",
          "for camera in cameras { start.cameras[camera]?.reserveNumbers() }", "",
          "aRunThatIsKilledReachedNoNumberOfTheNextOne", "Agent"),
    Fault("a change that is not stored counts as stored", "StateKeeper.swift",
          "complete(tickets, error)", "complete(tickets, nil)", "aChangeThatCannotBeStoredIsReportedAsThat", "Agent"),
    Fault("a stop does not wait for the changes", "StateKeeper.swift",
          "if waiting.isEmpty { then() } else { whenIdle = then }", "then()", "aStopWaitsForTheChanges", "Agent"),
    # Lifecycle: `stopped` only after every request has its final answer, and once for each stop.
    Fault("requests are not answered before the stop is reported", "Agent.swift",
          "for camera in cameras { camera.finishStop() }", "", "stoppedIsReportedAfterEveryAnswer", "Agent"),
    Fault("a stop does not wait for the lens", "Agent.swift",
          "if case .settlingLenses = lifecycle, !cameras.contains(where: \\.isMoving) { leave() }",
          "if case .settlingLenses = lifecycle { leave() }", "aStopWaitsForTheLens", "Agent"),
    Fault("the life of an agent does not end", "Agent.swift",
          "            lifecycle = .stopped(saved: saved)\n", "", "everyStopIsReportedOnce", "Agent"),
    Fault("a second stop begins again", "Lifecycle.swift",
          "        case .starting, .online: false\n        case .finishingRecordings, .settlingLenses, .storing, .leaving, .stopped: true",
          "        case .starting, .online, .settlingLenses: false\n        case .finishingRecordings, .storing, .leaving, .stopped: true",
          "aSecondStopDoesNotDelayTheFirst", "Agent"),
    # Clients: who may send commands, how many, and where the answers go.
    Fault("the limit of all clients is not applied", "TotalLimits.swift",
          "case .command: commands.take(at: now) && self.bytes", "case .command: self.bytes",
          "TotalLimitsTests|aFloodWithNewNamesIsDroppedUnread", "MQTTFrontEnd"),
    Fault("a command needs no proof", "ClientRules.swift",
          "error: mode == .open ? nil : Self.missingProof)", "error: nil)",
          "aCommandWithoutAProofIsRefused", "MQTTFrontEnd"),
    Fault("every client speaks for others", "ClientRules.swift",
          "if delegates.contains(account) {", "if true {", "onlyADelegateSpeaksForOthers", "MQTTFrontEnd"),
    Fault("a response topic is not checked", "ClientRules.swift",
          "if permits(responseTopic: responseTopic, of: sender) {", "if true {",
          "aResponseTopicIsBelowThoseOfTheClient", "MQTTFrontEnd"),
    # Two devices with one name.
    Fault("an earlier run counts as a second device", "NameConflict.swift",
          "guard ownInfo.before else { return .nothing }", "", "anEarlierRunIsNoSecondDevice", "MQTTFrontEnd"),
    Fault("the second device does not give way", "NameConflict.swift",
          "if wasShort && !staysInShortConnections { return giveWay(at: now) }", "",
          "theDeviceThatCameSecondWaitsTenMinutes", "MQTTFrontEnd"),
    Fault("both devices give way", "NameConflict.swift",
          "if run > other ?? \"\" || keptMessages >= Self.maxKeptMessages { isLeaving = true }", "isLeaving = true",
          "oneOfTwoThatHaveJustComeWaits", "MQTTFrontEnd"),
    Fault("an attempt is no attempt", "NameConflict.swift",
          "            if wasShort { return giveWay(at: now) }\n", "",
          "theMessagesAtTheBrokerTell", "MQTTFrontEnd"),
    # What a fleet may set.
    Fault("the fleet may set every key", "FleetConfiguration.swift",
          "guard key.fleetMaySet else { throw .notPermitted(path) }", "",
          "noFleetCanTakeADeviceAway", "Configuration"),
    Fault("an older version is applied", "FleetConfiguration.swift",
          "guard version < last.version, !resets else { return nil }",
          "guard version < 0, !resets else { return nil }",
          "versionsRise", "Configuration"),
    Fault("the fleet wins over the device", "LoadedConfiguration+load.swift",
          "        if let fleet { layers.add(fleet) }\n        layers.add(environment: environment)\n        layers.add(overrides: overrides)\n",
          "        layers.add(environment: environment)\n        layers.add(overrides: overrides)\n        if let fleet { layers.add(fleet) }\n",
          "itWinsOverTheFileAndLosesAgainst", "Configuration"),
    # JournalWriter: a change is reported as stored when the system has its line.
    Fault("a change is reported before its line is written", "JournalWriter.swift",
          "            try journal.write(lines, at: end)\n",
          "            stored(tickets, synced: synced, hasWritten: true)\n            try journal.write(lines, at: end)\n",
          "whatCannotBeStoredIsReportedAndStoredLater", "StateStore"),
    # Frames: no byte behind their end is read.
    Fault("a frame that is too short is accepted", "V4L2Format+picture.swift",
          "guard frame.count >= length else {", "guard frame.count >= 0 else {", "FramePictureTests", "V4L2"),
    Fault("a JPEG may have any number of scans", "Reader.c",
          "if (reader->object.input_scan_number <= JPEG_MOST_SCANS) return;", "return;", "BombTests", "CJPEG",
          suite="ImagingTests"),
    # Text from the bus: a terminal does not execute it, and it forges no lines.
    Fault("a control character of the bus is printed", "ScreenLine.swift",
          "pieces.append((text.printable.cut(to: width)", "pieces.append((text.cut(to: width)",
          "textFromTheBusHasNoControlCharacters", "Terminal", suite="CtlTests"),
    Fault("JSON of the bus is printed as it came", "Watch/WatchLines.swift",
          "JSON.reencoded(message.payload)", "Optional(message.payload)", "jsonFromTheBusIsEncodedAnew", "Ctl"),
    # The console: nothing reaches the bus that the token does not permit.
    Fault("every role may do everything", "CommandRouter.swift",
          "guard let needed = Role.needed(for: node, payload), viewer.role >= needed else {",
          "guard Role.needed(for: node, payload) != nil else {", "aRoleMayDoWhatItMay", "Console"),
    Fault("a token is for all cameras", "CommandRouter.swift", "guard viewer.sees(camera), cameras.summary(of: camera) != nil else {\n            return CommandError",
          "guard cameras.summary(of: camera) != nil else {\n            return CommandError", "aCameraOutsideThePatterns", "Console"),
    Fault("a page names its client", "CommandWriter.swift", "if client != account { payload[", "if payload[\"client\"] == nil { payload[",
          "theAccountItselfIsNoDelegate", "Console"),
    Fault("a page writes the fields of the console", "Protocol/PageCommand.swift",
          "private static let reserved = [\"id\", \"client\", \"ts\"]", "private static let reserved = [\"id\", \"ts\"]",
          "aPageDoesNotWriteTheFields", "Console"),
    Fault("what a page holds goes on without it", "Console.swift", "for command in page.held.end() {",
          "for command in [HeldInputs.Command]() {", "everythingThatAPageHasBegunEnds", "Console"),
    Fault("a cookie needs no code", "Access/SessionCookie.swift",
          "SecretBytes.areEqual(Array(parts[2].utf8), Array(code(token, expiry).utf8))", "!parts[2].isEmpty",
          "CookieTests", "Console"),
    Fault("a page of any site is taken", "Access/RequestRules.swift",
          "return authority(String(origin.dropFirst(scheme.count)), scheme)\n            == authority(host, scheme)",
          "return true", "aPageOfTheSameOrigin", "Console"),
    Fault("a name that leads to the console is local", "Access/RequestRules.swift",
          "return name == \"localhost\" || isIPv4(name)", "return true", "withoutTokensOnlyAddresses", "Console"),
    Fault("a removed token stays valid", "Access/AccessControl.swift",
          "return tokens.token(named: token.name) == token", "return true", "pagesWhoseTokenWasRemoved", "Console"),
    Fault("an address has any number of wrong tokens", "Access/AccessControl.swift",
          "attempts.failed(address, at: time)", "", "afterFiveWrongTokens", "Console"),
    Fault("a page changes its lists as often as it likes", "Pages/ChangeBudget.swift",
          "guard rest >= Double(count) else { return false }", "", "aFloodOf", "Console"),
    Fault("an open command is forgotten for a newer one", "Requests.swift",
          "< Self.maxOfOwner else {", ">= 0 else {", "aPageHasAtMost64OpenCommands", "Console"),
    Fault("a removed camera stays in the list", "Cameras/EarlierMessages.swift", "        return subjects\n", "        return []\n",
          "EarlierMessagesTests", "Console"),
    Fault("two consoles have one cookie", "Access/SessionCookie.swift",
          "Hexadecimal.text(of: code.prefix(Self.nameBytes))", "key.count", "twoConsolesOfAHost", "Console"),
    Fault("an address has any number of connections", "HTTP/ConnectionLimits.swift",
          "guard counts[address] < maxOfAddress else { return false }", "", "anAddressHasSoManyConnections",
          "ConsoleServer"),
    Fault("each picture gives a reader more time", "Media/PictureStream.swift", "if unread == 1 { startStallTimer() }",
          "startStallTimer()", "aReaderThatTakesNothingIsLeft", "ConsoleServer"),
    Fault("a reader that takes nothing keeps its camera", "Media/PictureStream.swift", "if unread == 1 { startStallTimer() }", "",
          "aReaderThatTakesNothing", "ConsoleServer"),
    Fault("an agent gets all requests of a client for parts at once", "Media/MediaTurns.swift",
          "line.underWay.count < Self.maxUnderWay, ", "", "twoRequestsOfAClientAreUnderWay", "ConsoleServer"),
    Fault("parts of two versions of a file are mixed", "Media/MediaConditions.swift",
          "ifRange == nil || ifRange == tag", "true", "aRangeOfAnotherVersionIsTheWholeFile", "ConsoleServer"),
    Fault("a picture's header has no bound", "Protocol/PictureHeader.swift", "            taken.insert(name)\n", "",
          "itIsShortWhateverIsPublished", "Console"),
    Fault("a command that no camera accepts waits for an hour", "Requests.swift",
          "isAccepted ? Requests.lifetime : Requests.acceptanceTime", "Requests.lifetime",
          "aCommandThatIsNotAccepted", "Console"),
    Fault("a broker fills the memory of the console", "Cameras/MessageLimits.swift",
          "guard new <= old || used - old + new <= limit else { return false }", "", "allMessagesTogetherHaveALimit", "Console"),
    Fault("pictures queue in the network", "Pages/PictureWindow.swift", "- reduction)", ")",
          "onASlowLinkWithADeepBuffer", "Console"),
]
