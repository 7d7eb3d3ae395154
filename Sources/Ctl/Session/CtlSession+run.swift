internal import Base
package import Bus
internal import Contract
internal import Fleet
internal import Glibc

extension CtlSession {
    /// Performs an operation with the camera, or with the cameras of the group, that the options select.
    ///
    /// - Returns: the exit code.
    /// - Throws: `CommandError` if the target on this machine can't be written, `BusError` or `LoopError` if
    ///   the client can't be created.
    package static func run(_ operation: CtlOperation, _ options: CtlOptions) throws -> Int32 {
        let operation = try operation.withCheckedTarget()
        let surroundings = try BusSurroundings(
            options, filters: filters(operation, options), maxPacketSize: operation.maxPacketSize,
            signals: operation.waitsForRecordings ? [SIGTERM, SIGINT] : [])
        return run(operation, options, surroundings)
    }

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

    /// The subscriptions to answers.
    package static func filters(_ operation: CtlOperation, _ options: CtlOptions) -> [BusFilter] {
        if options.group == nil { return options.topics.answers }
        // The requests to single cameras name this topic.
        return options.topics.groupAnswers + [options.topics.response]
    }
}
