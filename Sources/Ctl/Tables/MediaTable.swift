internal import Base
internal import Contract

/// The output of `ctl media list`.
enum MediaTable {
    private struct List: Encodable { let media: [MediaFields] }

    static func lines(_ files: [MediaFields], json: Bool) -> [PrintableLine] {
        if json { return [JSON.line(List(media: files))] }
        var table = TextTable(["NAME", "KIND", "BYTES", "CREATED"])
        for file in files {
            table.add([file.name, file.kind.rawValue, "\(file.bytes)", file.createdAt])
        }
        return table.lines
    }
}
