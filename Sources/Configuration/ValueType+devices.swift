internal import Settings

extension ValueType where Value == [CalibrationPoint] {
    /// Pairs of a lens's position in its own units and the factor there. Both rise.
    static var calibration: ValueType {
        let expected = "pairs of a unit and a factor that rise, such as [[100, 1], [500, 4.2]]"
        return ValueType(
            expected: expected,
            read: { node throws(TypeMismatch) in
                guard case .list(let elements) = node.content else {
                    throw TypeMismatch(node: node, expected: expected)
                }
                var points: [CalibrationPoint] = []
                for element in elements {
                    let point = try readPoint(element)
                    if let last = points.last, point.raw <= last.raw || point.factor <= last.factor {
                        throw TypeMismatch(node: element, expected: "a unit and a factor above those before")
                    }
                    points.append(point)
                }
                guard points.count != 1 else {
                    throw TypeMismatch(node: node, expected: "at least two pairs of a unit and a factor")
                }
                return points
            },
            render: { points in
                "[\(points.map { "[\($0.raw), \($0.factor)]" }.joined(separator: ", "))]"
            })
    }
}

private func readPoint(_ node: YAMLNode) throws(TypeMismatch) -> CalibrationPoint {
    guard case .list(let parts) = node.content, parts.count == 2 else {
        throw TypeMismatch(node: node, expected: "a pair of a unit and a factor, such as [100, 1]")
    }
    let raw = try ValueType<Int>.whole(-1_000_000...1_000_000).read(parts[0])
    let factor = try ValueType<Double>.number(0.01...1_000).read(parts[1])
    return CalibrationPoint(raw: Int64(raw), factor: factor)
}

extension ValueType where Value == String {
    /// The four letters of a pixel format.
    static var pixelFormat: ValueType {
        ValueType("four letters, such as MJPG", render: yamlText, takesQuotes: true) { text in
            text.utf8.count == 4 && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } ? text : nil
        }
    }
}

extension ValueType where Value == LibcameraUse {
    /// Whether libcamera's layer is used, or the path of the layer.
    static var libcamera: ValueType {
        let (boolean, path) = (ValueType<Bool>.boolean, ValueType<String>.path)
        let expected = "true, false or a path with a / in it"
        return ValueType(
            expected: expected, isScalar: true,
            read: { node throws(TypeMismatch) in
                if let isUsed = try? boolean.read(node) { return isUsed ? .installed : .no }
                // A word without a slash is rather a misspelt true than a file.
                guard case .scalar(let text, _) = node.content, text.contains("/"),
                    let file = try? path.read(node)
                else { throw TypeMismatch(node: node, expected: expected) }
                return .file(file)
            },
            render: { use in
                switch use {
                case .no: boolean.render(false)
                case .installed: boolean.render(true)
                case .file(let file): path.render(file)
                }
            })
    }
}
