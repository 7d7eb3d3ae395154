internal import Contract

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .integer(number) }
}
