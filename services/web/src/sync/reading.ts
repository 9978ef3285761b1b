import { call, CallError } from '../api/request'

/** How long what was seen is collected before the server hears of it, in milliseconds. */
const delay = 400
/** How many messages a call names at most. */
const portion = 1000

/** Marks messages as read that were on screen. */
export class Reading {
  private readonly seen = new Set<number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  /** Notes that messages were seen. They are marked a moment later. */
  saw(ids: readonly number[]): void {
    for (const id of ids) {
      this.seen.add(id)
    }
    if (this.seen.size > 0) {
      this.timer ??= setTimeout(() => void this.flush(), delay)
    }
  }

  /** Marks what was seen, now. */
  async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const messages = [...this.seen].slice(0, portion)
    if (messages.length === 0) {
      return
    }
    for (const id of messages) {
      this.seen.delete(id)
    }
    try {
      await call('POST /messages/flags', { messages, op: 'add', flag: 'read' }, { keepalive: true })
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      if (error.passes) { // they are seen again as long as they are on screen
        return
      }
    }
    this.saw([])
  }
}
