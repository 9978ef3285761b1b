/** The two areas of settings: those of one's own account, and those of the organization. */
export type Area = 'settings' | 'organization'

/** A page of settings; without a path it is the list of pages. */
export interface Page {
  readonly area: Area
  readonly path: string
}

/** Returns the page of settings that a fragment leads to; undefined: it leads elsewhere. */
export function pageOf(fragment: string): Page | undefined {
  const match = /^#(settings|organization)(?:\/([\w-]*))?(?:\/.*)?$/.exec(fragment)
  return match === null ? undefined : { area: match[1] as Area, path: match[2] ?? '' }
}

/** Returns the fragment of a page's address. */
export function addressOfPage({ area, path }: Page): string {
  return path === '' ? `#${area}` : `#${area}/${path}`
}
