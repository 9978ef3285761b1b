import type { UserGroupAddEvent, UserGroupAddMembersEvent, UserGroupRemoveEvent, UserGroupRemoveMembersEvent, UserGroupUpdateEvent } from '../../api/schema'
import type { UserGroup } from '../model'
import type { State } from '../state'

/** A group was made, or changed, or is gone. */
export function userGroup(
  state: State,
  event: UserGroupAddEvent | UserGroupUpdateEvent | UserGroupAddMembersEvent | UserGroupRemoveMembersEvent | UserGroupRemoveEvent,
): void {
  const groups = new Map(state.groups.value)
  if (event.op === 'add') {
    groups.set(event.group.id, event.group)
  } else if (event.op === 'remove') {
    groups.delete(event.group_id)
  } else {
    const group = groups.get(event.group_id)
    if (group === undefined) {
      return
    }
    groups.set(group.id, { ...group, ...changeOf(group, event) })
  }
  state.groups.value = groups
}

function changeOf(group: UserGroup, event: UserGroupUpdateEvent | UserGroupAddMembersEvent | UserGroupRemoveMembersEvent): Partial<UserGroup> {
  switch (event.op) {
    case 'update':
      return event.data
    case 'add_members':
      return { members: [...new Set([...group.members, ...event.user_ids])].sort((a, b) => a - b) }
    case 'remove_members':
      return { members: group.members.filter((id) => !event.user_ids.includes(id)) }
  }
}
