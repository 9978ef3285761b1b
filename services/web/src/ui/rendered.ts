/** Does something once what was changed just now is in the page, and before another key is pressed: that may come before the next frame. */
export function onceRendered(what: () => void): void {
  queueMicrotask(what) // what was changed before has queued its rendering
}
