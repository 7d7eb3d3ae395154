extension Keys {
    /// A file with all keys, their meaning and their defaults, to start from. It reads as the defaults.
    package static func sample() -> String {
        var page = YAMLPage()
        for key in all {
            let unit = key.unit.map { " In \($0)." } ?? ""
            let group = key.shortForm?.split(separator: ".").last
            let short = group.map { " Short form: \($0): VALUE." } ?? ""
            let computed = key.computedDefault.map { " Default: \($0)." } ?? ""
            page.add(
                key.path(camera: 0), value: key.defaultText,
                help: [key.help + unit + computed + short, "Expects \(key.expected)."])
        }
        return page.text
    }
}
