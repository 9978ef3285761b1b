import { useMemo } from 'preact/hooks'
import type { Message } from '../state/model'
import { widgetOf } from '../state/widget'
import { Content } from './content'
import { lazy } from './lazy'

const Widget = lazy(() => import('./widget/widget').then((file) => file.Widget))

/** What a message says, or the poll or list that is in place of it. */
export function Body({ message }: { readonly message: Message }) {
  const widget = useMemo(() => (message.submessages.length === 0 ? undefined : widgetOf(message)), [message.submessages])
  return widget === undefined ? <Content html={said(message)} message={message} /> : <Widget message={message} widget={widget} />
}

/** A message in the third person begins after its /me: the sender's name is before it. */
function said(message: Message): string {
  return message.is_me_message ? message.content.replace(/^<p>\/me /, '<p>') : message.content
}
