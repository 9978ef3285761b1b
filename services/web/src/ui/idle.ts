/** Does something once nothing else is to do, unless what it returns is called before. Where a browser doesn't say when that is, it waits for a task of its own. */
export function whenIdle(what: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const idle = requestIdleCallback(what)
    return () => cancelIdleCallback(idle)
  }
  const timer = setTimeout(what)
  return () => clearTimeout(timer)
}
