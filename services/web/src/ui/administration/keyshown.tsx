import { useEffect, useRef, useState } from 'preact/hooks'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { restore } from '../dialog'
import { allStreams } from './choices'
import { OneOf } from '../form/found'
import { Copy } from './copy'
import { webhookAddress, zuliprcOf, type BotKey } from './botkey'
import { inOrder, integrationOf } from './integrationlist'

/** A key, which is shown only once: by itself, in a file for programs, or in addresses for third parties. */
export function KeyShown({ made, incoming }: { readonly made: BotKey; readonly incoming: boolean }) {
  const words = text.administration.bots
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => restore(box.current?.querySelector('input') ?? null), []) // it may be in the place of the form that had the focus
  return (
    <div ref={box} class="fields">
      <p>{words.once}</p>
      <Copy label={words.address} value={made.email} />
      <Copy label={words.key} value={made.key} />
      {incoming ? <Webhook made={made} /> : <Zuliprc made={made} />}
    </div>
  )
}

function Zuliprc({ made }: { readonly made: BotKey }) {
  const words = text.administration.bots
  const download = () => {
    const address = URL.createObjectURL(new Blob([zuliprcOf(made)], { type: 'application/octet-stream' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'zuliprc'
    link.click()
    setTimeout(() => URL.revokeObjectURL(address), 60_000) // once the browser has it
  }
  return (
    <>
      <div class="field">
        <label for="zuliprc">{words.zuliprc}</label>
        <textarea id="zuliprc" class="mono" readOnly rows={4} dir="ltr" value={zuliprcOf(made)} onFocus={(event) => event.currentTarget.select()} />
      </div>
      <p class="field-buttons">
        <button type="button" onClick={download}>
          {words.download}
        </button>
      </p>
    </>
  )
}

/** The address of one of the integrations, for a stream and a topic. */
export function Webhook({ made, integration }: { readonly made: BotKey; readonly integration?: string }) {
  const client = useClient()
  const { integrations } = client.state.organization
  const [chosen, setChosen] = useState(integration ?? integrations.value[0] ?? '')
  const [stream, setStream] = useState('')
  const [topic, setTopic] = useState('')
  const words = text.administration.integrations
  const streams = [{ value: '', name: words.toOwner }, ...allStreams(client).map(({ name }) => ({ value: name, name }))]
  return (
    <>
      {integration !== undefined ? null : (
        <div class="field">
          <label for="integration">{words.integration}</label>
          <select id="integration" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {inOrder(integrations.value).map((name) => (
              <option key={name} value={name}>
                {integrationOf(name).name}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field">
        <label for="webhook-stream">{words.stream}</label>
        <OneOf id="webhook-stream" options={streams} value={stream} choose={setStream} />
      </div>
      {stream === '' ? null : (
        <div class="field">
          <label for="webhook-topic">{words.topic}</label>
          <input id="webhook-topic" maxlength={60} dir="auto" autocomplete="off" value={topic} aria-describedby="webhook-topic-hint" onInput={(event) => setTopic(event.currentTarget.value)} />
          <p id="webhook-topic-hint" class="field-hint">
            {words.topicHint}
          </p>
        </div>
      )}
      <Copy label={words.address} value={webhookAddress(made, chosen, { stream, topic })} />
    </>
  )
}
