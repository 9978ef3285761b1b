/** A bot's key as it was shown, with what else a program has to know. */
export interface BotKey {
  readonly email: string
  readonly key: string
  /** The address of the organization. */
  readonly site: string
  /** By which an outgoing webhook knows who calls it; undefined: it is no such bot. */
  readonly token?: string | undefined
}

/** Returns the file by which programs know their account (rest-api.md, section 5.3). */
export function zuliprcOf({ email, key, site, token }: BotKey): string {
  const lines = ['[api]', `email=${email}`, `key=${key}`, `site=${site}`, ...(token === undefined ? [] : [`token=${token}`])]
  return lines.join('\n') + '\n'
}

/** Where the messages of an integration go. */
export interface Target {
  /** The name of a stream; empty: a private message to the bot's owner. */
  readonly stream: string
  /** Empty: what the integration calls it. */
  readonly topic: string
}

/** Returns the address to which a third party posts. */
export function webhookAddress({ key, site }: BotKey, integration: string, { stream, topic }: Target): string {
  const query = new URLSearchParams({ api_key: key })
  if (stream !== '') {
    query.set('stream', stream)
    if (topic !== '') {
      query.set('topic', topic)
    }
  }
  return `${site}/api/v1/external/${encodeURIComponent(integration)}?${query.toString()}`
}

/** Returns what the address of a bot begins with, made of its name: letters, digits, dots, hyphens and underscores. */
export function shortNameOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^\w .-]/g, '').trim().toLowerCase()
  return plain.replace(/[\s_-]+/g, '-').replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '').slice(0, 50)
}
