import type { Client } from '../client'
import type { Place, TopicPlace } from '../state/conversation'
import type { Message } from '../state/model'
import type { Organizations } from '../sync/organizations'
import { show } from './overlay'

// The screens that are over the others. Each is loaded when it is first opened.

/** Asks for another organization. */
export function addOrganization(client: Client, organizations: Organizations, parent: string): void {
  void show(client, async () => {
    const { AddOrganization } = await import('./addorganization')
    return (close) => <AddOrganization organizations={organizations} parent={parent} close={close} />
  })
}

/** Shows how a message was changed. */
export function showEdits(client: Client, message: Message): void {
  void show(client, async () => {
    const { Edits } = await import('./edits')
    return (close) => <Edits id={message.id} close={close} />
  })
}

/** Asks where to move a message, and what goes with it. */
export function moveMessage(client: Client, message: Message): void {
  void show(client, async () => {
    const { MoveMessage } = await import('./move')
    return (close) => <MoveMessage message={message} close={close} />
  })
}

/** Asks for another name or stream of a topic. */
export function moveTopic(client: Client, place: TopicPlace): void {
  void show(client, async () => {
    const { MoveTopic } = await import('./move')
    return (close) => <MoveTopic place={place} close={close} />
  })
}

/** Shows who reacted to a message. */
export function showReactions(client: Client, message: Message): void {
  void show(client, async () => {
    const { WhoReacted } = await import('./whoreacted')
    return (close) => <WhoReacted id={message.id} close={close} />
  })
}

/** Shows all streams. */
export function browseStreams(client: Client): void {
  void show(client, async () => {
    const { Streams } = await import('./streams/streams')
    return (close) => <Streams close={close} />
  })
}

/** Shows a stream: its members, and what one has set for it. */
export function showStream(client: Client, stream: number): void {
  void show(client, async () => {
    const { OneStream } = await import('./streams/one')
    return (close) => <OneStream id={stream} close={close} />
  })
}

/** Asks what a new stream is to be. */
export function newStream(client: Client): void {
  void show(client, async () => {
    const { NewStream } = await import('./streams/new')
    return (close) => <NewStream close={close} />
  })
}

/** Shows what was typed and isn't sent. */
export function showDrafts(client: Client): void {
  void show(client, async () => {
    const { DraftList } = await import('./draftlist')
    return (close) => <DraftList close={close} />
  })
}

/** Shows what is going to be sent. */
export function showScheduled(client: Client): void {
  void show(client, async () => {
    const { Scheduled } = await import('./schedule/list')
    return (close) => <Scheduled close={close} />
  })
}

/** Asks when a message is to be sent; done is called once it waits for that. */
export function schedule(client: Client, place: Place, content: string, done: () => void): void {
  void show(client, async () => {
    const { SendLater } = await import('./schedule/later')
    return (close) => <SendLater place={place} content={content} done={done} close={close} />
  })
}

/** Asks when to be reminded of a message. */
export function remind(client: Client, message: Message): void {
  void show(client, async () => {
    const { RemindMe } = await import('./schedule/later')
    return (close) => <RemindMe message={message} close={close} />
  })
}
