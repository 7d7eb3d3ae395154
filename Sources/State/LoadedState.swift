/// What was found at the path of a state file.
package struct LoadedState<Document: Sendable>: Sendable {
    /// The newest whole document; nil at the first start, and when nothing on the disk was whole.
    package internal(set) var document: Document?
    /// The damaged files that were set aside. They are to be logged.
    package internal(set) var damaged: [DamagedFile] = []
    /// The snapshot had a journal beside it, which is missing: changes after the snapshot are lost, unless
    /// there never was room for a journal.
    package internal(set) var lacksJournal = false

    /// The same with another form of the document.
    func map<Other: Sendable>(_ change: (Document) -> Other) -> LoadedState<Other> {
        LoadedState<Other>(document: document.map(change), damaged: damaged, lacksJournal: lacksJournal)
    }
}

/// A damaged file that was kept for inspection.
package struct DamagedFile: Sendable, Equatable, CustomStringConvertible {
    /// Where the file was.
    let path: String
    /// Where it is now.
    let setAsideAs: String
    /// What is wrong with it, for a person.
    let reason: String

    package var description: String { "\(path) is damaged (\(reason)); it was set aside as \(setAsideAs)" }
}
