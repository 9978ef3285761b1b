/** What this tab is called among those of one browser. */
const own = crypto.randomUUID?.() ?? String(Math.random())
const name = 'chat/looked'

/** Notes that somebody looks at this tab. */
export function takeTurn(): void {
  try {
    localStorage.setItem(name, own)
  } catch {
    // Nothing can be kept, so each tab is the only one.
  }
}

/** Whether this tab is the one that was looked at last, so that of several tabs one makes a sound. */
export function hasTurn(): boolean {
  try {
    if (localStorage.getItem(name) === null) {
      takeTurn()
    }
    return (localStorage.getItem(name) ?? own) === own
  } catch {
    return true
  }
}

/** Leaves the turn to another tab, as this one closes. */
export function leaveTurn(): void {
  try {
    if (localStorage.getItem(name) === own) {
      localStorage.removeItem(name)
    }
  } catch {
    // There was none.
  }
}
