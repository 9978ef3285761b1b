import { useEffect, useState } from 'preact/hooks'
import { call, CallError } from '../api/request'
import { text } from '../text/text'
import { Content } from './content'

/** How a text would look as a message. */
export function Preview({ content }: { readonly content: string }) {
  const [html, setHTML] = useState<string>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const stop = new AbortController()
    call('POST /messages/render', { content }, { signal: stop.signal }).then(
      ({ rendered }) => {
        setHTML(rendered)
        setProblem('')
      },
      (error: unknown) => {
        if (stop.signal.aborted) {
          return
        }
        if (!(error instanceof CallError)) {
          throw error
        }
        setProblem(error.message)
      },
    )
    return () => stop.abort()
  }, [content])
  return (
    <section class="preview" aria-label={text.preview} tabIndex={0}>
      {problem !== '' ? (
        <p class="problem" role="alert">
          {problem}
        </p>
      ) : html === undefined ? (
        <p role="status">{text.loading}</p>
      ) : (
        <Content html={html} />
      )}
    </section>
  )
}
