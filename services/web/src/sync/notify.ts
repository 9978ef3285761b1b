import { computed, signal } from '@preact/signals'

/** What was answered when the permission was asked for. */
const answered = signal<NotificationPermission | undefined>(undefined)

/** Whether this browser may show notifications; default: nobody was asked yet. The browser is asked for it once it is wanted: that takes time, which the first messages need. */
export const permission = computed<NotificationPermission>(() => answered.value ?? (typeof Notification === 'undefined' ? 'denied' : Notification.permission))

/** Asks for the permission to show notifications. Browsers ask only after a click, and those who refused once only by the browser's own settings. */
export async function askPermission(): Promise<NotificationPermission> {
  if (typeof Notification !== 'undefined') {
    answered.value = await Notification.requestPermission()
  }
  return permission.value
}

/** What a notification shows. */
export interface Notice {
  readonly message: number
  readonly title: string
  readonly body: string
}

/** Shows a notification of a message; the same as the one that a push shows (worker/notify.ts). It waits for the worker, which isn't there yet when the first page is. */
export async function notify({ message, title, body }: Notice): Promise<void> {
  if (permission.peek() === 'granted') {
    const registration = await navigator.serviceWorker?.ready
    await registration?.showNotification(title, { body, icon: '/icon-192.png', tag: `message-${message}`, data: { message } })
  }
}

/** Closes the notifications of messages that need none any more. */
export async function closeNotices(done: (message: number) => boolean): Promise<void> {
  if (permission.peek() === 'granted') {
    const registration = await navigator.serviceWorker?.getRegistration()
    for (const one of (await registration?.getNotifications()) ?? []) {
      if (done((one.data as { message?: number } | null)?.message ?? 0)) {
        one.close()
      }
    }
  }
}
