import { signal } from '@preact/signals'

/** What a version of the client is called: its main script, whose name changes with everything that it is made of. Empty: none is named. */
export function versionOf(page: string): string {
  return /\/assets\/index-[\w-]+\.js/.exec(page)?.[0] ?? ''
}

/** What versions need of the browser. */
export interface Surroundings {
  /** The version that runs; empty: none that has a name. */
  readonly own: string
  /** Returns the page as the server has it. */
  fetch(): Promise<string>
  /** Returns the versions for which this window was loaded again. */
  tried(): readonly string[]
  /** Loads the page again. */
  reload(tried: readonly string[]): void
}

/**
 * Finds out whether the server has another version of the client, newer or older. The page is loaded again once for each: servers of
 * two versions may answer in turns while one takes over, and a cache in between may keep an old page.
 */
export class Versions {
  /** The version that the server has, unless it is the one that runs or was tried; empty: none. */
  readonly other = signal('')
  /** Whether something couldn't be loaded that the version that runs wants. */
  readonly lacking = signal(false)

  private readonly around: Surroundings

  constructor(around: Surroundings) {
    this.around = around
  }

  /** Asks the server which version it has. */
  async check(): Promise<void> {
    const { own, fetch, tried } = this.around
    const there = own === '' ? '' : versionOf(await fetch().catch(() => ''))
    this.other.value = there === own || tried().includes(there) ? '' : there
  }

  /** Notes that a part of the version that runs couldn't be loaded, and finds out whether that is because there is another version. */
  async lack(): Promise<void> {
    await this.check()
    this.lacking.value = this.other.peek() !== ''
  }

  /** Loads the version that the server has. */
  renew(): void {
    if (this.other.peek() !== '') {
      this.around.reload([...this.around.tried(), this.other.peek()])
    }
  }
}

/** Where a window keeps for which versions it was loaded again. */
const kept = 'chat/versions'

/** The versions of this page. */
export const versions = new Versions({
  own: versionOf([...(globalThis.document?.scripts ?? [])].map(({ src }) => src).join(' ')),
  fetch: async () => (await fetch('/', { cache: 'no-cache' })).text(),
  tried: () => {
    try {
      return JSON.parse(sessionStorage.getItem(kept) ?? '[]') as readonly string[]
    } catch {
      return []
    }
  },
  reload: (tried) => {
    try {
      sessionStorage.setItem(kept, JSON.stringify(tried))
    } catch {
      return // it couldn't be known that it was tried
    }
    location.reload()
  },
})
