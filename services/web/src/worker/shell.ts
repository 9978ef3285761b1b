/** The scripts and styles of this version: their names change with their contents. vite.config.ts sets them. */
declare const FILES: readonly string[]
declare const VERSION: string

const files = FILES
const name = 'shell-' + VERSION

/** How long the server may take to send the page before the kept one is shown, in milliseconds. */
const patience = 5_000

/** Keeps what the page is made of. Where the server has another version by now, nothing is kept, and it is tried again later. */
export async function keep(): Promise<void> {
  const cache = await caches.open(name)
  const isUsed = (await cache.match('/')) !== undefined // by this version's worker, to which the server was rolled back
  await cache.addAll(files)
  const page = await fetch('/', { cache: 'no-cache' })
  const text = await page.clone().text()
  const wants = [...text.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([file]) => file)
  if (!page.ok || wants.some((file) => !files.includes(file))) {
    if (!isUsed) {
      await caches.delete(name)
    }
    throw new Error('the page is of another version')
  }
  await cache.put('/', page)
}

/** Forgets other versions. None of their pages is open any more when a worker takes over. */
export async function tidy(worker: ServiceWorkerGlobalScope): Promise<void> {
  for (const other of await caches.keys()) {
    if (other.startsWith('shell-') && other !== name) {
      await caches.delete(other)
    }
  }
  await worker.clients.claim()
}

/** The page of the server; where that can't be reached or fails, the page that is kept, which says so. */
export async function pageOf(request: Request): Promise<Response> {
  const kept = await caches.match('/', { cacheName: name })
  const fetched = fetch(request)
  if (kept === undefined) {
    return fetched
  }
  const late = new Promise<Response>((resolve) => setTimeout(() => resolve(kept), patience))
  return Promise.race([late, fetched.then((page) => (page.status < 500 ? page : kept), () => kept)])
}

/** A file by its name, which has one content for ever. */
export async function fileOf(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request)
}
