/** An organization of the server that this browser is signed in to. */
export interface Organization {
  /** What its address begins with; empty: it is at the server's own host. */
  readonly subdomain: string
  readonly name: string
}

/** How many organizations are kept: as many as there are keys for. */
export const mostOrganizations = 9

/** What a name in an address may be. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The longest name that is kept, in UTF-16 units: as each is written with nine bytes at most, all names fit into a cookie. */
const longestName = 40

const cookie = 'organizations'

/** Reads the organizations from the page's cookies. Any page below the server's host may have written them, so that only names are taken. */
export function organizationsOf(cookies: string): readonly Organization[] {
  const value = cookies.split('; ').find((one) => one.startsWith(cookie + '='))?.slice(cookie.length + 1) ?? ''
  return [...new Map(new URLSearchParams(value))]
    .filter(([subdomain, name]) => (subdomain === '' || label.test(subdomain)) && name !== '')
    .map(([subdomain, name]) => ({ subdomain, name: name.slice(0, longestName) }))
    .slice(0, mostOrganizations)
}

/** Returns the value of the cookie that keeps organizations. */
export function cookieOf(organizations: readonly Organization[]): string {
  return `${cookie}=${new URLSearchParams(organizations.map(({ subdomain, name }) => [subdomain, name.slice(0, longestName)])).toString()}`
}

/** Returns the organizations with one more, which keeps its place if it is there. */
export function withOne(all: readonly Organization[], one: Organization): readonly Organization[] {
  const at = all.findIndex(({ subdomain }) => subdomain === one.subdomain)
  return at < 0 ? [...all, one].slice(-mostOrganizations) : all.with(at, one)
}

/** Returns the part of a host that names an organization of the server at a parent host; undefined: it is none of that server. */
export function subdomainOf(host: string, parent: string): string | undefined {
  if (host === parent) {
    return ''
  }
  const part = host.endsWith('.' + parent) ? host.slice(0, -parent.length - 1) : ''
  return label.test(part) ? part : undefined
}

/** Returns what somebody typed as the organization's name in an address, whole or in part; undefined: it is none of the server. */
export function typedSubdomain(text: string, parent: string): string | undefined {
  const host = text.trim().toLowerCase().replace(/^https?:\/\//, '').replace(/(:\d+)?([/#?].*)?$/, '')
  return label.test(host) ? host : subdomainOf(host, parent)
}

/** The organizations of one server that this browser is signed in to, in a cookie of the server's host, which the pages of all of them read. */
export class Organizations {
  private readonly parent: string

  /** parent is the server's host, at and below which all organizations are. */
  constructor(parent: string) {
    this.parent = parent
  }

  /** The organization of this page; undefined: its address isn't one of the server's. */
  get own(): string | undefined {
    return subdomainOf(location.hostname, this.parent)
  }

  list(): readonly Organization[] {
    return organizationsOf(document.cookie)
  }

  /** The address of an organization. */
  address(subdomain: string): string {
    const port = location.port === '' ? '' : ':' + location.port
    return `${location.protocol}//${subdomain === '' ? '' : subdomain + '.'}${this.parent}${port}/`
  }

  /** Notes that this browser is signed in to this page's organization, under its name. */
  remember(name: string): void {
    if (this.own !== undefined && name !== '') {
      this.write(withOne(this.list(), { subdomain: this.own, name }))
    }
  }

  /** Notes that it no longer is. */
  forget(): void {
    this.write(this.list().filter(({ subdomain }) => subdomain !== this.own))
  }

  private write(organizations: readonly Organization[]): void {
    const age = organizations.length === 0 ? 0 : 31_536_000
    document.cookie = `${cookieOf(organizations)}; Domain=${this.parent}; Path=/; Max-Age=${age}; SameSite=Strict${location.protocol === 'https:' ? '; Secure' : ''}`
  }
}
