/** Keeps values of one account in this browser. Where the browser keeps nothing, neither does it. */
export class Store {
  private readonly prefix: string

  /** account is whose values they are. */
  constructor(account: number) {
    this.prefix = `chat/${account}/`
  }

  /** Returns a value; undefined: there is none. */
  read<T>(name: string): T | undefined {
    try {
      const text = localStorage.getItem(this.prefix + name)
      return text === null ? undefined : (JSON.parse(text) as T)
    } catch {
      return undefined
    }
  }

  /** Returns the names of values that begin with a text. */
  names(prefix: string): readonly string[] {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.prefix + prefix))
        .map((key) => key.slice(this.prefix.length))
    } catch {
      return []
    }
  }

  /** Has a function hear the name of each value that another window changes. */
  follow(hear: (name: string) => void): void {
    globalThis.addEventListener?.('storage', ({ key }) => {
      if (key?.startsWith(this.prefix)) {
        hear(key.slice(this.prefix.length))
      }
    })
  }

  /** Keeps a value, or forgets it where it is undefined. */
  write(name: string, value: unknown): void {
    try {
      if (value === undefined) {
        localStorage.removeItem(this.prefix + name)
      } else {
        localStorage.setItem(this.prefix + name, JSON.stringify(value))
      }
    } catch {
      // The storage is full, or forbidden.
    }
  }
}
