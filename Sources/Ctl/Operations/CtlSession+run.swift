internal import Base
internal import Bus
internal import Contract
internal import Fleet

extension CtlSession {
    /// Performs an operation with the camera, or with the cameras of the group, that the options select.
    ///
    /// - Returns: the exit code.
    package static func run(
        _ operation: CtlOperation, _ options: CtlOptions, _ surroundings: any Surroundings
    ) -> Int32 {
        let session = CtlSession(
            options, surroundings, operation.needs(options), needsV5: operation.needsV5)
        do throws(Ending) {
            if let group = options.group {
                let report = try session.perform(operation, with: group)
                report.errors.forEach(session.printError)
                report.lines(json: options.json).forEach(session.output)
                return report.exitCode
            }
            let camera = try session.chosenCamera()
            session.follow(camera)
            let rule = operation.waitsForRecordings ? Answers.Rule.recording : .each
            try CameraRequests(session, camera, rule).perform(operation)
            return 0
        } catch {
            return session.report(error)
        }
    }

    /// One command to all cameras of a group, or one camera after the other.
    private func perform(_ operation: CtlOperation, with group: String) throws(Ending) -> GroupReport {
        switch operation {
        case .capture(let fields, .folder(let folder, _)):
            // All take their photos at once, and these are copied then.
            var report = try GroupCommand(self, group, .command(.capture, fields)).perform()
            // It was that of the photos.
            options.time = nil
            for (index, camera) in report.cameras.enumerated() where camera.result == .done {
                let names = (camera.reply?.photos ?? []).map {
                    $0.path.split(separator: "/").last.map(String.init) ?? ""
                }
                try copy(.names(names), of: &report.cameras[index], to: folder, replaces: true)
            }
            return report
        case .copyMedia(let files, .folder(let folder, _), let replaces):
            return try each(of: group) { camera throws(Ending) in
                try self.copy(files, of: &camera, to: folder, replaces: replaces)
            }
        case .listPresets, .listControls, .showLease, .listMedia:
            return try each(of: group) { camera throws(Ending) in try self.show(operation, of: &camera) }
        case .command, .setControls, .startRecording, .record, .pinch, .cancel, .capture, .copyMedia:
            return try GroupCommand(self, group, operation).perform()
        }
    }

    // MARK: One after the other

    /// Does something with each camera of the group whose agent is there.
    private func each(
        of group: String, _ body: (inout GroupReport.Camera) throws(Ending) -> Void
    ) throws(Ending) -> GroupReport {
        var cameras: [GroupReport.Camera] = []
        for address in try settledMembers(of: group, asksAlways: true) {
            let absence = absence(of: address)
            cameras.append(.init(address: address, result: absence ?? .done))
            if absence == nil { try body(&cameras[cameras.count - 1]) }
        }
        return GroupReport(group: group, incompleteNote: incompleteNote, cameras: cameras)
    }

    /// Copies files. With `--json`, the report has them.
    private func copy(
        _ files: MediaSelection, of camera: inout GroupReport.Camera, to folder: String, replaces: Bool
    ) throws(Ending) {
        var written: [WrittenCopy] = []
        let prints = options.json ? Prints.nothing : .results
        try perform(with: &camera, prints) { requests throws(Ending) in
            try requests.copy(files, to: .folder(folder, of: requests.address), replaces: replaces) {
                written.append($0)
            }
        }
        camera.files = written
    }

    /// Prints what a camera has, below its name.
    private func show(_ operation: CtlOperation, of camera: inout GroupReport.Camera) throws(Ending) {
        let address = camera.address
        let names = JSON.object(["agent": .text(address.agent), "camera": .text(address.camera)])
        output(options.json ? JSON.line(names) : "\(address):")
        try perform(with: &camera, .results) { requests throws(Ending) in
            do throws(Ending) {
                try requests.perform(operation)
            } catch {
                _ = self.report(error)
                throw error
            }
        }
    }

    /// What came of one camera. Its errors are a part of the report, and end no operation with others.
    private func perform(
        with camera: inout GroupReport.Camera, _ prints: Prints,
        _ body: (CameraRequests) throws(Ending) -> Void
    ) throws(Ending) {
        self.prints = prints
        defer { self.prints = .all }
        do throws(Ending) {
            try body(CameraRequests(self, camera.address))
        } catch {
            switch error {
            case .failed(let error) where error.code == .unavailable:
                camera.result = .silent(reason: error.message)
            case .failed(let error): camera.result = .refused(error)
            case .refused(let reply):
                camera.result = MemberResult(reply) ?? .refused(reason: reply.status.rawValue, message: nil)
            case .exit: throw error
            }
        }
    }
}
