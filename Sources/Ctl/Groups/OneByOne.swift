internal import Base
internal import Bus
package import Contract

/// Operations with the cameras of a group, one camera after the other, each with a connection of its own.
package struct OneByOne {
    private let group: String
    private let options: CtlOptions

    package init(_ group: String, _ options: CtlOptions) {
        self.group = group
        // Each camera is named, and does its part at once.
        var one = options
        (one.time, one.commandID, one.group) = (nil, nil, nil)
        self.options = one
    }

    // MARK: Operations

    /// Prints what each camera has, below its name, and then how many cameras had an answer.
    ///
    /// - Returns: the exit code.
    /// - Throws: `CommandError` without a connection or a camera, `BusError` or `LoopError` if the client
    ///   can't be created.
    package func list(_ operation: CtlOperation) throws -> Int32 {
        let report = try report { address in
            let names = JSON.object(["agent": .text(address.agent), "camera": .text(address.camera)])
            printLine(options.json ? JSON.line(names) : "\(address):")
            let runner = try runner(operation, at: address, prints: .results)
            _ = try runner.run()
            return .init(address: address, result: runner.result)
        }
        return printed(report)
    }

    /// Copies files of each camera.
    ///
    /// - Parameter folder: where the copies are; made if it is missing.
    /// - Returns: the exit code.
    /// - Throws: as ``list(_:)``.
    package func copy(_ files: MediaSelection, to folder: String, replaces: Bool) throws -> Int32 {
        try Self.makeFolder(folder)
        let report = try report { address in
            try copies(of: files, at: address, to: folder, replaces: replaces)
        }
        return printed(report)
    }

    /// Takes photos with all cameras at once, and then copies them.
    ///
    /// - Parameters:
    ///   - options: with the time of the command.
    ///   - folder: where the copies are; made if it is missing.
    /// - Returns: the exit code.
    /// - Throws: as ``list(_:)``.
    package func capture(
        _ fields: JSONObject, to folder: String, _ options: CtlOptions
    ) throws -> Int32 {
        try Self.makeFolder(folder)
        let photos = try CtlRunner(
            .command(.capture, fields), group, options, printsReport: false)
        let code = try photos.run()
        guard var report = photos.report else { return code }
        for (index, camera) in report.cameras.enumerated() where camera.result == .done {
            let names = camera.reply.map(Self.names) ?? []
            var copied = try copies(of: .names(names), at: camera.address, to: folder, replaces: true)
            copied.reply = camera.reply
            report.cameras[index] = copied
        }
        return printed(report)
    }

    /// The names of the photos of an answer in the camera's list of media.
    static func names(_ reply: Reply) -> [String] {
        (reply.photos ?? []).map { $0.path.split(separator: "/").last.map(String.init) ?? "" }
    }

    // MARK: Steps

    /// Does something with each camera of the group whose agent is there.
    private func report(
        _ body: (CameraAddress) throws -> GroupReport.Camera
    ) throws -> GroupReport {
        var observed = options
        observed.group = group
        let observation = try FleetObservation.collect(
            observed, nodes: ["availability", "info"], needsCameraInfo: true, groupRequest: .always)
        let fleet = observation.fleet
        guard !fleet.addresses.isEmpty else { throw fleet.unknownGroup(group, options) }
        return GroupReport(
            group: group, incompleteNote: observation.incompleteNote,
            cameras: try fleet.addresses.map { address in
                guard fleet.isReachable(address, at: .now) else {
                    let reason = fleet.silence(of: address, at: .now)
                    return .init(address: address, result: .silent(reason: reason))
                }
                return try body(address)
            })
    }

    private func copies(
        of files: MediaSelection, at address: CameraAddress, to folder: String, replaces: Bool
    ) throws -> GroupReport.Camera {
        let operation = CtlOperation.copyMedia(
            files, to: .folder(folder, of: address), replaces: replaces)
        let runner = try runner(operation, at: address, prints: options.json ? .nothing : .results)
        _ = try runner.run()
        return .init(address: address, result: runner.result, files: runner.written)
    }

    private func runner(
        _ operation: CtlOperation, at address: CameraAddress, prints: CtlOutput
    ) throws -> CtlRunner<Conversation> {
        var one = options
        (one.agent, one.camera) = (address.agent, address.camera)
        one.clientID = CtlOptions.newClientID()
        return try CtlRunner(operation, one, prints: prints)
    }

    private func printed(_ report: GroupReport) -> Int32 {
        for line in report.errors { printError(line) }
        for line in report.lines(json: options.json) { printLine(line) }
        return report.exitCode
    }

    /// Makes the folder for copies, if it is missing.
    package static func makeFolder(_ path: String) throws(CommandError) {
        do throws(FileError) {
            try Files.makeFolder(path, mode: 0o777, makesAbove: false)
        } catch {
            throw CommandError(.device, "The folder \(path) can't be made: \(error.reason)")
        }
    }
}
