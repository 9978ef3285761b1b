import type { Client } from '../client'

/** How long the name of a call is, and what it is made of: nobody guesses one of 36^20. */
const length = 20
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Returns the address of the server for video calls; undefined: the organization has none. */
export function callServer({ state }: Client): string | undefined {
  const { realm_video_chat_provider: provider, jitsi_server_url: server, realm_available_video_chat_providers: all } = state.settings.value
  const jitsi = (all as Readonly<Record<string, { readonly id: number }>> | undefined)?.['jitsi_meet']
  return jitsi !== undefined && jitsi.id === provider && typeof server === 'string' ? server.replace(/\/+$/, '') : undefined
}

/** Returns the address of a new call, which those enter who know it. */
export function newCall(server: string): string {
  let name = ''
  while (name.length < length) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < 7 * letters.length) { // so that all letters are equally likely
      name += letters[byte % letters.length]
    }
  }
  return `${server}/${name}`
}
