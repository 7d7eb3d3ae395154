internal import Base
package import Settings

extension AgentSettings {
    /// Why the state, photos or recordings can't be stored, with the key that names the place. Nothing is
    /// made or changed.
    package func folderProblems() -> [(key: String, message: String)] {
        let state = ["", ".lock", ".slots/agent"].lazy.compactMap { Files.problem(ofFile: stateFile + $0) }
            .first
        let problems = [
            ("state_file", state ?? Files.problem(ofFolder: Files.folder(of: stateFile))),
            ("captures.directory", Files.problem(ofFolder: captures.folder.directory)),
            ("recordings.directory", Files.problem(ofFolder: recordings.folder.directory)),
        ]
        return problems.compactMap { key, problem in problem.map { (key, "\($0)") } }
    }
}
