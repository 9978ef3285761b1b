/**
 * The one place where text becomes HTML: the page's policy lets nothing else do so. What comes out is in a document of its own, in which
 * nothing runs and nothing is loaded, and from which ./content.ts copies what it knows. It is there until the next text is parsed:
 * to make a document for each would take longer than all else that is done with a message.
 */
export function parse(html: string): HTMLElement {
  inert ??= document.implementation.createHTMLDocument('')
  inert.body.innerHTML = trust(html)
  return inert.body
}

let inert: Document | undefined

interface Policies {
  createPolicy<Rules>(name: string, rules: Rules): Rules
}


/** Browsers without Trusted Types take the text itself. */
const { trustedTypes } = globalThis as { trustedTypes?: Policies }
const policy = trustedTypes?.createPolicy('message-html', { createHTML: (html: string) => html })

function trust(html: string): string {
  return policy === undefined ? html : policy.createHTML(html)
}

/** Has the service worker work: the only script that anything in the page may name. Browsers that have none, or forbid it, do without. */
export function startWorker(): void {
  const address = '/worker.js'
  const trusted = trustedTypes?.createPolicy('worker', { createScriptURL: (_: string) => address })
  navigator.serviceWorker?.register((trusted?.createScriptURL('') ?? address) as string).catch(() => {})
}
