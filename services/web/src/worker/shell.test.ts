import assert from 'node:assert/strict'
import { test } from 'node:test'

/** Has the worker of version 1 run, with a server whose page is of a version that may change. Returns what is kept by then. */
async function browser(version: string) {
  const all = new Map<string, Map<string, unknown>>()
  const server = { version }
  const open = async (name: string) => {
    const cache = all.get(name) ?? new Map<string, unknown>()
    all.set(name, cache)
    return {
      match: async (path: string) => cache.get(path),
      addAll: async (paths: readonly string[]) => paths.forEach((path) => cache.set(path, path)),
      put: async (path: string, page: unknown) => cache.set(path, page),
    }
  }
  Object.assign(globalThis, {
    FILES: ['/assets/index-1.js'],
    VERSION: '1',
    caches: { open, delete: async (name: string) => all.delete(name) },
    fetch: async () => new Response(`<script src="/assets/index-${server.version}.js"></script>`),
  })
  const { keep } = await import('./shell')
  return { keep, server, has: (name: string) => all.get(name)?.has('/') === true }
}

test('a worker that is installed again while the server has another version leaves what it has kept', async () => {
  const { keep, server, has } = await browser('2')
  await assert.rejects(keep())
  assert.equal(has('shell-1'), false)
  server.version = '1'
  await keep()
  assert.equal(has('shell-1'), true)
  server.version = '2'
  await assert.rejects(keep())
  assert.equal(has('shell-1'), true)
})
