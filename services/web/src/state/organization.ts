import { signal } from '@preact/signals'
import type { Calls } from '../api/schema'
import type { Registration } from './model'

type Registered = Required<Registration>

/** A bot that the account keeps; administrators keep all. */
export type Bot = Registered['realm_bots'][number]

/** A question that people answer in their profile. */
export type ProfileField = Registered['custom_profile_fields'][number]

/** A domain whose addresses may join. */
export type Domain = Registered['realm_domains'][number]

/** A set of streams that newcomers choose. */
export type StreamGroup = Registered['realm_default_stream_groups'][number]

/** An archive of the organization. */
export type Export = Calls['GET /export/realm']['reply']['exports'][number]

/** A kind of account elsewhere, which profiles can name. */
export type ExternalAccount = Registered['realm_default_external_accounts'][string]

/** A pattern whose matches become links. */
export interface Linkifier {
  readonly id: number
  readonly pattern: string
  readonly format: string
}

/** What administrators keep of the organization, beside its settings, people and streams. */
export class Organization {
  readonly bots = signal<ReadonlyMap<number, Bot>>(new Map())
  readonly profileFields = signal<readonly ProfileField[]>([])
  readonly linkifiers = signal<readonly Linkifier[]>([])
  readonly domains = signal<readonly Domain[]>([])
  /** Streams that new accounts are subscribed to. */
  readonly defaultStreams = signal<ReadonlySet<number>>(new Set())
  readonly streamGroups = signal<readonly StreamGroup[]>([])
  /** Names of the incoming integrations. */
  readonly integrations = signal<readonly string[]>([])
  /** Archives, once somebody has asked for them or one changed; undefined: they have to be fetched. */
  readonly exports = signal<readonly Export[] | undefined>(undefined)
  /** How often invitations changed: their event has none of them. */
  readonly invitations = signal(0)

  /** Fills it from a registration. */
  fill(from: Registration): void {
    this.bots.value = new Map((from.realm_bots ?? []).map((bot) => [bot.user_id, bot]))
    this.profileFields.value = from.custom_profile_fields ?? []
    this.linkifiers.value = linkifiersOf(from.realm_filters ?? [])
    this.domains.value = from.realm_domains ?? []
    this.defaultStreams.value = new Set((from.realm_default_streams ?? []).map((s) => s.stream_id))
    this.streamGroups.value = from.realm_default_stream_groups ?? []
    this.integrations.value = (from.realm_incoming_webhook_bots ?? []).map((bot) => bot.name)
    this.exports.value = undefined
    this.invitations.value++
  }
}

/** Reads linkifiers: each has its pattern, the format of its address, and its id. */
export function linkifiersOf(list: readonly (readonly unknown[])[]): readonly Linkifier[] {
  return list.map(([pattern, format, id]) => ({ id: Number(id), pattern: String(pattern), format: String(format) }))
}
