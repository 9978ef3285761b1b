// How names are written in messages (rest-api.md, sections 7.5 to 7.7).

/** Names after @ that mean everybody. */
export const wildcards = ['all', 'everyone', 'stream'] as const

/** Returns the mention of somebody; the ID goes with it where the name alone may mean others. */
export function mentionOf(name: string, id: number, ambiguous: boolean): string {
  const taken = (wildcards as readonly string[]).includes(name)
  return ambiguous || taken ? `@**${name}|${id}**` : `@**${name}**`
}

/** Returns the mention of everybody who gets the message. */
export function wildcardOf(name: string): string {
  return `@**${name}**`
}

/** What a line begins with that opens or closes a fence, and what the fence is for. */
const fence = /^\s*(`{3,}|~{3,})\s*(\w*)/

/** Reports whether a message mentions everybody who gets it. */
export function mentionsEverybody(content: string): boolean {
  return new RegExp(`@\\*\\*(?:${wildcards.join('|')})\\*\\*`).test(saidIn(content))
}

/** Returns the people whom a message mentions so that they are notified, each with the ID if it is written. */
export function mentionedIn(content: string): readonly { readonly name: string; readonly id: number | undefined }[] {
  return [...saidIn(content).matchAll(/@\*\*([^*\n]+?)(?:\|(\d+))?\*\*/g)].map(([, name = '', id]) => ({ name, id: id === undefined ? undefined : Number(id) }))
}

/** Returns a message without code and quotes, which mention nobody. */
function saidIn(content: string): string {
  const open: { readonly mark: string; readonly hides: boolean }[] = []
  const said = content.split('\n').filter((line) => {
    const [, mark, kind] = fence.exec(line) ?? []
    const last = open.at(-1)
    if (mark === undefined) {
      return !line.startsWith('>') && !open.some((one) => one.hides)
    }
    if (kind === '' && last !== undefined && mark.startsWith(last.mark)) {
      open.pop()
    } else {
      open.push({ mark, hides: kind !== 'spoiler' })
    }
    return false
  })
  return said.join('\n').replace(/(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
}

/** Returns the mention of a user group; undefined: its name can't be written. */
export function groupMentionOf(name: string): string | undefined {
  return plain(name) ? `@*${name}*` : undefined
}

/** Returns the link to a stream, or to a topic in it; address is where it leads, for names that the short form can't have. */
export function streamLinkOf(stream: string, topic: string | undefined, address: string): string {
  if (plain(stream) && !stream.includes('>') && (topic === undefined || plain(topic))) {
    return topic === undefined ? `#**${stream}**` : `#**${stream}>${topic}**`
  }
  return `[${labelOf(topic === undefined ? `#${stream}` : `#${stream} > ${topic}`)}](${address})`
}

/** Returns an emoji. */
export function emojiOf(name: string): string {
  return `:${name}:`
}

/** Returns the link to a file. */
export function fileLinkOf(name: string, uri: string): string {
  return `[${labelOf(name)}](${uri})`
}

/** Returns a message as a quote: who said it, without notifying them, where, and what. */
export function quoteOf(content: string, name: string, id: number, said: string, address: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `@_**${name}|${id}** [${said}](${address}):\n${fence}quote\n${content}\n${fence}`
}

/** Returns a name as the text of a link, in which nothing is markup. */
export function labelOf(name: string): string {
  return name.replace(/[[\]\\`*~$<>\p{Cc}]/gu, '_')
}

/** Reports whether a name can stand between stars. */
function plain(name: string): boolean {
  return !/[*\\\p{Cc}]/u.test(name)
}
