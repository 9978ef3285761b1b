import { useLayoutEffect, useRef } from 'preact/hooks'
import { useClient } from '../client'
import { contentOf } from '../html/content'
import { moment, text } from '../text/text'

/** What a message says: the server's HTML. */
export function Content({ html }: { readonly html: string }) {
  const { state } = useClient()
  const self = state.self.value
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    box.current?.replaceChildren(contentOf(html, { self, spoiler: text.spoiler, time: moment }))
  }, [html, self, text.locale])
  return <div ref={box} class="content" dir="auto" />
}
