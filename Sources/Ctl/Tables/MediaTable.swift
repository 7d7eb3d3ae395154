internal import Base
internal import Contract

/// The output of `ctl media list`.
enum MediaTable {
    static func lines(_ files: [MediaFields], json: Bool) -> [PrintableLine] {
        if json { return [JSON.line(JSON.object(["media": .list(files.map(\.json))]))] }
        var table = TextTable(["NAME", "KIND", "SIZE", "CREATED"])
        for file in files {
            table.add([file.name, file.kind.rawValue, file.bytes.bytesText, file.createdAt])
        }
        return table.lines
    }
}
