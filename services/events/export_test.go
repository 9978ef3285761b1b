package events

// TickPeriod is how often waiting polls get a heartbeat, at most.
const TickPeriod = tickPeriod
