// The service worker: the page opens without a network, and messages are notified of while no page is open.
import { open, show } from './notify'
import { keep, pageOf, fileOf, tidy } from './shell'

declare const self: ServiceWorkerGlobalScope

self.addEventListener('install', (event) => event.waitUntil(keep()))
self.addEventListener('activate', (event) => event.waitUntil(tidy(self)))
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) {
    return
  }
  if (mode === 'navigate' && pathname === '/') {
    event.respondWith(pageOf(event.request))
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(fileOf(event.request))
  }
})
self.addEventListener('push', (event) => event.waitUntil(show(self, event.data)))
self.addEventListener('notificationclick', (event) => event.waitUntil(open(self, event.notification)))
