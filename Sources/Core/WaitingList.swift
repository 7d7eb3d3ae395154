/// What waits for its end, in the order in which it began. There are seldom more than two.
struct WaitingList<Element> {
    private var entries: [(number: Int, element: Element)] = []
    /// The number that was given out last.
    private(set) var lastNumber = 0

    var numbers: [Int] { entries.map(\.number) }

    func contains(_ number: Int) -> Bool { place(of: number) != nil }

    func element(_ number: Int) -> Element? { place(of: number).map { entries[$0].element } }

    /// Gives out a number for something that doesn't wait.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds an element, and returns its number.
    mutating func add(_ element: Element) -> Int {
        entries.append((nextNumber(), element))
        return lastNumber
    }

    /// Removes and returns the element with a number; nil: it doesn't wait any more.
    mutating func take(_ number: Int) -> Element? {
        place(of: number).map { entries.remove(at: $0).element }
    }

    mutating func takeAll() -> [Element] { entries.takeAll().map(\.element) }

    // By index: an element that is passed to a closure is copied.
    private func place(of number: Int) -> Int? { entries.indices.first { entries[$0].number == number } }
}

extension Array {
    /// Removes and returns all elements: what is done with them may add others.
    mutating func takeAll() -> Self {
        defer { self = [] }
        return self
    }
}
