import { useMemo } from 'preact/hooks'
import { plainOf } from '../html/plain'
import type { Message } from '../state/model'
import type { View } from '../state/view'
import { widgetOf } from '../state/widget'
import { Content } from './content'
import { lazy } from './lazy'

const Widget = lazy(() => import('./widget/widget').then((file) => file.Widget))

/** What a message says, with what was searched for in a view, or the poll or list that is in place of it. */
export function Body({ message, view }: { readonly message: Message; readonly view: View }) {
  const widget = useMemo(() => (message.submessages.length === 0 ? undefined : widgetOf(message, () => plainOf(message.content))), [message.submessages, message.content])
  const match = view.matches.get(message.id)
  const content = match?.of === message.content ? match.marked : message.content
  return widget === undefined ? <Content html={said(message, content)} message={message} /> : <Widget message={message} widget={widget} />
}

/** A message in the third person begins after its /me: the sender's name is before it. */
function said(message: Message, content: string): string {
  return message.is_me_message ? content.replace(/^<p>\/me /, '<p>') : content
}
