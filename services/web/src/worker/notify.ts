import { isQuiet, type Quiet } from '../state/quiet'

/** What a push says (decision 0022). Without the last ones it says only that there is a message. */
interface Notice {
  readonly event: string
  readonly realm_uri: string
  readonly message_id: number
  readonly time: number
  readonly sender_full_name?: string
  readonly stream?: string
  readonly topic?: string
  readonly content?: string
}

/** What a notification keeps, so that a click leads to its message. sync/notify.ts shows the same. */
interface Kept {
  readonly message: number
}

/** Shows a push as a notification, which browsers demand of each; without a sound while notifications are paused. */
export async function show({ registration }: ServiceWorkerGlobalScope, data: PushMessageData | null): Promise<void> {
  const notice = data?.json() as Notice | undefined
  if (notice === undefined || notice.event !== 'message') {
    return // of a newer server
  }
  const { sender_full_name: sender, stream, topic, content = '', message_id: message } = notice
  const host = new URL(notice.realm_uri).host
  const title = sender === undefined ? host : stream === undefined ? sender : `${sender} (#${stream} › ${topic})`
  const kept: Kept = { message }
  await registration.showNotification(title, { silent: await isSilent(), body: content, icon: '/icon-192.png', tag: `message-${message}`, data: kept })
}

/** Whether nobody is to be disturbed: what sync/quiet.ts keeps for it. */
async function isSilent(): Promise<boolean> {
  try {
    const kept = await caches.match('/', { cacheName: 'quiet' })
    return kept !== undefined && isQuiet((await kept.json()) as Quiet, new Date())
  } catch {
    return false // the browser lost what it kept: a notification that isn't shown is worse than one with a sound
  }
}

/** Opens the message of a notification, in a page that is there, or in a new one. */
export async function open({ clients }: ServiceWorkerGlobalScope, notification: Notification): Promise<void> {
  notification.close()
  const { message } = notification.data as Kept
  const address = `#message/${message}`
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find((one) => new URL(one.url).pathname === '/')
  if (page === undefined) {
    await clients.openWindow('/' + address)
    return
  }
  page.postMessage({ open: address })
  await page.focus()
}
