/**
 * The one place where text becomes HTML: the page's policy lets nothing else do so. What comes out is a document of its own, in which
 * nothing runs and nothing is loaded, and from which ./content.ts copies what it knows.
 */
export function parse(html: string): HTMLElement {
  return new DOMParser().parseFromString(trust(html), 'text/html').body
}

interface Policies {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML: (html: string) => string }
}

/** Browsers without Trusted Types take the text itself. */
const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('message-html', { createHTML: (html) => html })

function trust(html: string): string {
  return policy === undefined ? html : policy.createHTML(html)
}
