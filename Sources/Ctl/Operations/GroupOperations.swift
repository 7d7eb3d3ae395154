internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// What each operation does with the cameras of a group: one command to all of them, or one camera after the
/// other.
extension CtlSession {
    func perform(_ operation: CtlOperation, with group: String) throws(Ending) -> GroupReport {
        switch operation {
        case .capture(let fields, .folder(let folder, _)):
            return try capture(fields, with: group, to: folder)
        case .copyMedia(let files, .folder(let folder, _), let replaces):
            return try each(of: group) { requests, camera throws(Ending) in
                try requests.copy(
                    files, to: .folder(folder, of: requests.address), replaces: replaces, into: &camera)
            }
        case .listPresets, .listControls, .showLease, .listMedia:
            // Prints what each camera has, below its name.
            return try each(of: group) { requests, _ throws(Ending) in
                let address = requests.address
                let names = JSON.object(["agent": .text(address.agent), "camera": .text(address.camera)])
                self.output(options.json ? JSON.line(names) : "\(address):")
                do throws(Ending) {
                    try requests.perform(operation)
                } catch {
                    _ = self.report(error)
                    throw error
                }
            }
        case .command, .setControls, .startRecording, .record, .pinch, .cancel, .capture, .copyMedia:
            return try GroupCommand(self, group, operation).perform()
        }
    }

    /// Takes photos with all cameras at once, and then copies them.
    private func capture(
        _ fields: JSONObject, with group: String, to folder: String
    ) throws(Ending) -> GroupReport {
        var report = try GroupCommand(self, group, .command(.capture, fields)).perform()
        for (index, camera) in report.cameras.enumerated() where camera.result == .done {
            let names = (camera.reply?.photos ?? []).map {
                $0.path.split(separator: "/").last.map(String.init) ?? ""
            }
            report.cameras[index] = try one(camera) { requests, camera throws(Ending) in
                try requests.copy(
                    .names(names), to: .folder(folder, of: requests.address), replaces: true, into: &camera)
            }
        }
        return report
    }

    // MARK: One after the other

    private typealias Body = (CameraRequests, inout GroupReport.Camera) throws(Ending) -> Void

    /// Does something with each camera of the group whose agent is there.
    private func each(of group: String, _ body: Body) throws(Ending) -> GroupReport {
        var cameras: [GroupReport.Camera] = []
        for address in try settledMembers(of: group, asksAlways: true) {
            if let absence = absence(of: address) {
                cameras.append(.init(address: address, result: absence))
            } else {
                cameras.append(try one(.init(address: address, result: .done), body))
            }
        }
        return GroupReport(group: group, incompleteNote: incompleteNote, cameras: cameras)
    }

    /// What came of one camera. Its errors are a part of the report, and end no operation with others.
    private func one(_ camera: GroupReport.Camera, _ body: Body) throws(Ending) -> GroupReport.Camera {
        var camera = camera
        prints = .results
        defer { prints = .all }
        do throws(Ending) {
            try body(CameraRequests(self, camera.address), &camera)
        } catch {
            switch error {
            case .failed(let error) where error.code == .unavailable:
                camera.result = .silent(reason: error.message)
            case .failed(let error): camera.result = .refused(error)
            case .refused(let reply):
                camera.result = MemberResult(reply) ?? .refused(reason: "failed", message: nil)
            case .exit: throw error
            }
        }
        return camera
    }
}

extension CameraRequests {
    /// Copies files of a camera of a group. With `--json`, the report has them.
    fileprivate func copy(
        _ files: MediaSelection, to place: LocalPlace, replaces: Bool, into camera: inout GroupReport.Camera
    ) throws(Ending) {
        if options.json { session.prints = .nothing }
        camera.files = []
        try copy(files, to: place, replaces: replaces) { camera.files?.append($0) }
    }
}
