import { signal } from '@preact/signals'
import { call } from '../api/request'
import { askPermission, permission } from './notify'
import type { Store } from './storage'

/** Why a browser can't be notified while no page is open: it can't do that, its user forbids it, the server doesn't, or the browser's maker isn't reached. */
export type Hindrance = 'browser' | 'forbidden' | 'server' | 'service'

/** What turning it on says instead of a CallError. */
export class PushError extends Error {
  readonly why: Hindrance

  constructor(why: Hindrance) {
    super(why)
    this.name = 'PushError'
    this.why = why
  }
}

/** Where the browser keeps whether somebody turned it on, for each account by itself. */
const kept = 'push'

/** Has this browser show notifications while no page is open. */
export class Push {
  /** Whether it does, for this account. */
  readonly on = signal(false)

  private readonly store: Store

  constructor(store: Store) {
    this.store = store
    this.on.value = store.read(kept) === true && permission.peek() === 'granted'
  }

  /** Whether browsers such as this one can do it at all. */
  static get possible(): boolean {
    return 'PushManager' in globalThis && navigator.serviceWorker !== undefined
  }

  /** Turns it on, which asks for the permission. It throws a PushError or a CallError. */
  async turnOn(): Promise<void> {
    if (!Push.possible) {
      throw new PushError('browser')
    }
    if ((await askPermission()) !== 'granted') {
      throw new PushError('forbidden')
    }
    const { vapid_public_key: key } = await call('GET /users/me/push_devices', {})
    if (key === null) {
      throw new PushError('server')
    }
    const { endpoint, keys } = (await subscribe(key)).toJSON()
    await call('POST /users/me/push_devices', { endpoint: endpoint ?? '', p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' })
    this.store.write(kept, true)
    this.on.value = true
  }

  /** Turns it off. It throws a CallError. */
  async turnOff(): Promise<void> {
    this.store.write(kept, undefined)
    this.on.value = false
    const registration = await navigator.serviceWorker?.getRegistration()
    const subscription = await registration?.pushManager?.getSubscription()
    if (!subscription) {
      return
    }
    const { push_devices: devices } = await call('GET /users/me/push_devices', {})
    const own = devices.find((one) => one.endpoint === subscription.endpoint)
    if (own !== undefined) {
      await call('DELETE /users/me/push_devices/{device_id}', { device_id: own.id })
    }
    await subscription.unsubscribe()
  }

  /** Turns it on again where it was on: browsers change their subscriptions, and the server forgets them with each session. */
  async renew(): Promise<void> {
    if (this.on.peek()) {
      await this.turnOn()
    }
  }
}

/** Returns the browser's subscription, a new one where the server has another key than before. */
async function subscribe(key: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: key }
  try {
    return await pushManager.subscribe(options)
  } catch {
    try {
      await (await pushManager.getSubscription())?.unsubscribe()
      return await pushManager.subscribe(options)
    } catch {
      throw new PushError('service')
    }
  }
}
