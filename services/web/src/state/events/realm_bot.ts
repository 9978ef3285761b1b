import type { RealmBotAddEvent, RealmBotDeleteEvent, RealmBotRemoveEvent, RealmBotUpdateEvent } from '../../api/schema'
import type { Bot } from '../organization'
import type { State } from '../state'

/** A bot was made, or changed, or was deactivated, or isn't the account's any more. */
export function realmBot(state: State, event: RealmBotAddEvent | RealmBotUpdateEvent | RealmBotRemoveEvent | RealmBotDeleteEvent): void {
  const bots = new Map(state.organization.bots.value)
  const bot = bots.get(event.bot.user_id)
  if (event.op === 'add') {
    bots.set(event.bot.user_id, event.bot)
  } else if (event.op === 'delete') {
    bots.delete(event.bot.user_id)
  } else if (bot !== undefined) {
    bots.set(bot.user_id, event.op === 'remove' ? { ...bot, is_active: false } : changed(bot, event.bot))
  }
  state.organization.bots.value = bots
}

/** Events of a bot that is handed over name its owner, or null; those of outgoing webhooks have the members of services that changed. */
function changed(bot: Bot, { owner_id: owner, services, ...rest }: RealmBotUpdateEvent['bot']): Bot {
  return {
    ...bot,
    ...rest,
    ...(owner == null ? {} : { owner_id: owner }),
    services: services === undefined ? bot.services : services.map((service, i) => ({ ...(bot.services[i] ?? { base_url: '', interface: 1, token: '' }), ...service })),
  }
}
