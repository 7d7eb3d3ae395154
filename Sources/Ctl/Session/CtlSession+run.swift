internal import Base
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
}
