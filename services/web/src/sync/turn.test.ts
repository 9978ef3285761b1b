import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turn } from './turn'

interface Request {
  readonly tab: number
  readonly begin: () => void
  readonly fail: () => void
}

/** Keeps one lock for several tabs as a browser does. */
class Browser {
  private held: Request | undefined
  private queue: Request[] = []

  locksOf(tab: number): LockManager {
    const request = (_: string, { steal, signal }: LockOptions, callback: () => unknown) =>
      new Promise((_, reject) => {
        const one: Request = { tab, begin: () => queueMicrotask(callback), fail: () => reject(new DOMException('', 'AbortError')) }
        signal?.addEventListener('abort', () => {
          this.queue = this.queue.filter((waiting) => waiting !== one)
          one.fail()
        })
        if (steal) {
          this.held?.fail()
          this.held = undefined
          this.queue.unshift(one)
        } else {
          this.queue.push(one)
        }
        this.next()
      })
    return { request } as unknown as LockManager
  }

  /** Ends a tab without a word to it. */
  crash(tab: number): void {
    this.queue = this.queue.filter((one) => one.tab !== tab)
    if (this.held?.tab === tab) {
      this.held = undefined
    }
    this.next()
  }

  private next(): void {
    if (this.held === undefined) {
      this.held = this.queue.shift()
      this.held?.begin()
    }
  }
}

const settled = () => new Promise(setImmediate)

test('one tab has the turn: the one that was looked at last, and after a crash another one', async () => {
  const browser = new Browser()
  const tabs = [0, 1, 2].map((tab) => new Turn(browser.locksOf(tab))) as [Turn, Turn, Turn]
  const own = async () => (await settled(), tabs.map((tab) => tab.isOwn))
  tabs.forEach((tab) => tab.wait())
  assert.deepEqual(await own(), [true, false, false])
  tabs[2].take()
  tabs[2].take()
  assert.deepEqual(await own(), [false, false, true])
  tabs[1].take()
  tabs[0].take()
  assert.deepEqual(await own(), [true, false, false])
  browser.crash(0)
  const [, second, third] = await own()
  assert.equal(Number(second) + Number(third), 1)
  tabs[2].take()
  browser.crash(2)
  const [, last] = await own()
  assert.equal(last, true)
})

test('a tab that can’t know of others has the turn', async () => {
  assert.equal(new Turn(undefined).isOwn, true)
  const turn = new Turn({ request: () => Promise.reject(new DOMException('', 'SecurityError')) } as unknown as LockManager)
  turn.wait()
  await settled()
  assert.equal(turn.isOwn, true)
})
