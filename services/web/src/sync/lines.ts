/** An event as the stream has it (WHATWG HTML, section 9.2). */
export interface Sent {
  readonly id: string
  readonly data: string
}

/**
 * Returns a function that takes the text of a stream of server-sent events, in pieces that may end anywhere, and returns the events
 * that are complete.
 */
export function reader(): (piece: string) => readonly Sent[] {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap(read)
  }
}

/** Reads a block; comments and what the client doesn't use are nothing. */
function read(block: string): readonly Sent[] {
  let id = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (line.startsWith('id:')) {
      id = value
    } else if (line.startsWith('data:')) {
      data.push(value)
    }
  }
  return data.length === 0 ? [] : [{ id, data: data.join('\n') }]
}
