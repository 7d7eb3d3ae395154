internal import Contract

/// A document on the disk: a snapshot that people can read, and a journal of the changes after it.
///
/// The snapshot is a ``StateFile``. The journal is beside it as `<path>.journal`.
package final class StateStore<Document: JournaledDocument>: Sendable {
    let file: StateFile<Snapshot<Document>>
    let journal: Journal
    /// The lines that follow the snapshot on the disk; nil: the journal can't be continued.
    let lines: Journal.Lines?
    /// The generation of the snapshot on the disk; 0: it has none.
    let generation: Int

    private init(
        _ file: StateFile<Snapshot<Document>>, _ journal: Journal, _ lines: Journal.Lines?, generation: Int
    ) {
        (self.file, self.journal, self.lines, self.generation) = (file, journal, lines, generation)
    }

    var path: String { file.path }

    /// Takes the lock, and loads the snapshot with all changes that follow it.
    ///
    /// - Throws: as ``StateFile/open(_:)``.
    package static func open(
        _ path: String
    ) throws(StateStoreError) -> (store: StateStore, found: LoadedState<Document>) {
        let (file, snapshot) = try StateFile<Snapshot<Document>>.open(path)
        let journal = Journal(path: path + ".journal")
        var found = snapshot.map(\.document)
        // A program without a journal wrote a snapshot without a mark: older lines don't follow it.
        guard let stored = snapshot.document, let mark = stored.journal else {
            return (StateStore(file, journal, nil, generation: 0), found)
        }
        guard let lines = try journal.read(after: mark) else {
            found.lacksJournal = true
            return (StateStore(file, journal, nil, generation: mark.generation), found)
        }
        do {
            found.document = try stored.document.merged(lines.patches)
            return (StateStore(file, journal, lines, generation: mark.generation), found)
        } catch {
            // Checksums are right, so another program wrote the lines: the snapshot alone counts.
            let aside = try file.setAside(journal.path)
            found.damaged.append(
                DamagedFile(
                    path: journal.path, setAsideAs: aside,
                    reason: "its lines aren't what this program expects: \(error)"))
            return (StateStore(file, journal, nil, generation: mark.generation), found)
        }
    }
}

/// The document as it stands in the file: with the place in the journal where later changes begin. A program
/// without a journal ignores that.
struct Snapshot<Document: Codable & Sendable>: Codable, Sendable {
    var document: Document
    var journal: JournalMark?

    private enum Key: CodingKey { case journal }

    init(document: Document, journal: JournalMark?) { (self.document, self.journal) = (document, journal) }

    init(from decoder: any Decoder) throws {
        document = try Document(from: decoder)
        journal = try decoder.container(keyedBy: Key.self).decodeIfPresent(JournalMark.self, forKey: .journal)
    }

    func encode(to encoder: any Encoder) throws {
        try document.encode(to: encoder)
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encodeIfPresent(journal, forKey: .journal)
    }
}

extension JournaledDocument {
    /// The document after these patches.
    fileprivate func merged(_ patches: [JSON]) throws -> Self {
        if patches.isEmpty { return self }
        var tree = try JSON(encoding: self)
        for patch in patches { tree.merge(patch) }
        return try tree.decoded()
    }
}
