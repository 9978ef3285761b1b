import type { AttachmentAddEvent, AttachmentRemoveEvent, AttachmentUpdateEvent } from '../../api/schema'
import type { State } from '../state'

/** A file of the account was uploaded, is in other messages than before, or is gone. Nothing is kept unless the files were fetched. */
export function attachment(state: State, event: AttachmentAddEvent | AttachmentUpdateEvent | AttachmentRemoveEvent): void {
  const files = state.files.value
  const rest = files?.filter((file) => file.id !== event.attachment.id)
  if (files === undefined || rest === undefined || (event.op === 'update' && rest.length === files.length)) {
    return // what somebody sends may have files of others
  }
  state.files.value = event.op === 'remove' ? rest : [event.attachment, ...rest]
}
