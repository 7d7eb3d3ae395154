import Bus

/// The broker, as the console uses it.
protocol ConsoleBus: AnyObject {
    func subscribe(_ filters: [BusFilter])
    func unsubscribe(_ filters: [BusFilter])
    func publish(_ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties)
}
