import { callWithFile } from '../../api/file'
import { call } from '../../api/request'
import type { Calls } from '../../api/schema'
import type { Client } from '../../client'
import type { BotKey } from './botkey'

/**
 * Makes a bot, with a picture if it has one. Where the answer to the same call was lost, the bot may be there already: its key was in that answer,
 * and is shown only once, so that the bot gets another one.
 */
export async function makeBot({ state }: Client, params: Calls['POST /bots']['params'], picture: File | undefined, again: boolean): Promise<BotKey> {
  const email = `${params.short_name}-bot@${String(state.settings.value['realm_bot_domain'] ?? '')}`
  const isSame = (bot: { readonly email: string; readonly full_name: string; readonly owner_id?: number; readonly is_active: boolean }) =>
    bot.is_active && bot.owner_id === state.self.peek() && bot.full_name === params.full_name.trim() && bot.email.toLowerCase() === email.toLowerCase()
  const made = again ? [...state.organization.bots.peek().values()].find(isSame) : undefined
  const answered = made === undefined ? (picture === undefined ? call('POST /bots', params) : callWithFile('POST /bots', params, picture)) : call('POST /bots/{bot_id}/api_key/regenerate', { bot_id: made.user_id })
  const { api_key: key } = await answered
  return { email, key, site: siteOf(state) }
}

/** The address of the organization, as programs need it. */
export function siteOf({ settings }: Client['state']): string {
  return String(settings.value['realm_uri'] ?? location.origin)
}
