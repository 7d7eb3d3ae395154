internal import ArgumentParser
internal import CameraAgent
internal import Cameras
internal import Configuration
internal import FoundationEssentials
internal import Imaging
internal import LoopThread
internal import MQTTBus

extension Configuration {
    /// What the agent is told: the configuration's values, with the files that it names.
    ///
    /// - Parameter warn: told about what is there but can't be used.
    func agentSettings(warn: (String) -> Void) throws -> AgentSettings {
        AgentSettings(
            agent: agent, baseTopic: mqtt.baseTopic, host: Configuration.systemHostName(),
            version: Program.version, bus: mqtt.busSettings, stateFile: stateFile,
            captures: CaptureSettings(
                directory: captures.directory, maximumBytes: captures.maxBytes,
                retainsImage: captures.retainImage),
            liveRate: zoom.liveRate, gestureTimeout: zoom.gestureTimeout, commandRate: commandRate,
            cameras: try cameras.map { try $0.agentSettings(warn: warn) })
    }
}

extension Configuration.MQTT {
    var busSettings: BusSettings {
        BusSettings(
            host: host, port: port, version: protocolVersion == .v5 ? .v5 : .v311, clientID: clientID,
            username: username, password: password?.text,
            tls: tls.map {
                .init(
                    caFile: $0.caFile, certificateFile: $0.identity?.certFile, keyFile: $0.identity?.keyFile)
            }, keepAlive: keepalive)
    }
}

extension Configuration.Camera {
    fileprivate func agentSettings(warn: (String) -> Void) throws -> CameraSettings {
        guard sources.contains(.simulated) else {
            complain(
                "cameras: \(id): this version serves simulated cameras only; give it \"source: simulated\"")
            throw ExitStatus.usage
        }
        if sources.first != .simulated {
            warn("\(id): this version doesn't serve V4L2 devices yet; the simulated camera stands in")
        }
        let simulated = try simulatedSettings()
        let id = id
        return CameraSettings(id: id, groups: groups, zoom: zoom) { loop in
            SimulatedCamera(simulated, serial: id, on: loop)
        }
    }

    private func simulatedSettings() throws -> SimulatedCamera.Settings {
        var settings = SimulatedCamera.Settings(
            width: simulation.width, height: simulation.height, rate: Double(simulation.frameRate),
            opticalMax: simulation.opticalMax, lensSpeed: simulation.lensSpeed,
            writeLatency: simulation.writeLatency)
        settings.fault =
            switch simulation.fault {
            case .none: nil
            case .writeError: .write
            case .frameError: .frame
            }
        guard let image else { return settings }
        do {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
            let header = try JPEGHeader(of: bytes)
            (settings.jpeg, settings.width, settings.height) = (bytes, header.width, header.height)
        } catch {
            complain("cameras: \(id): image: \(image) can't be used: \(error)")
            throw ExitStatus.usage
        }
        return settings
    }
}
