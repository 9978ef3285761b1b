/** The lock of the tab that was looked at last. It ends with the tab, even where that crashes. */
const name = 'chat/looked'

/** Which one of several tabs of a browser was looked at last: that one makes a sound. Where they can't know of each other, each is the only one. */
export class Turn {
  private locks: LockManager | undefined
  private held = false
  private waiting: AbortController | undefined

  constructor(locks: LockManager | undefined) {
    this.locks = locks
  }

  /** Whether it is this tab. */
  get isOwn(): boolean {
    return this.held || this.locks === undefined
  }

  /** Notes that somebody looks at this tab. */
  take(): void {
    if (!this.held) {
      this.waiting?.abort()
      this.waiting = undefined
      this.held = true
      void this.hold({ steal: true })
    }
  }

  /** Has this tab follow when the one that was looked at last is gone, unless another one does. */
  wait(): void {
    if (!this.held && this.waiting === undefined) {
      this.waiting = new AbortController()
      void this.hold({ signal: this.waiting.signal })
    }
  }

  /** Holds the lock until another tab takes it. */
  private async hold(options: LockOptions): Promise<void> {
    try {
      await this.locks?.request(name, options, () => {
        this.waiting = undefined
        this.held = true
        return new Promise(() => {})
      })
    } catch (error) {
      if (options.signal?.aborted) {
        return // it was taken
      }
      this.held = false
      if (error instanceof DOMException && error.name === 'AbortError') {
        this.wait()
      } else {
        this.locks = undefined // the browser forbids it
      }
    }
  }
}

/** The turn of this tab. */
export const turn = new Turn(globalThis.navigator?.locks)
