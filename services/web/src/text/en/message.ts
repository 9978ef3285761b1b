/** One message, and what one can do with it. */
export const message = {
  edited: 'edited',
  spoiler: 'Spoiler',
  reply: 'Reply',
  react: 'React',
  star: 'Star',
  unstar: 'Remove the star',
  edit: 'Edit',
  remove: 'Delete',
  actions: (sender: string) => `What to do with the message of ${sender}`,
  reactedBy: (names: string, emoji: string) => `${names} reacted with ${emoji}`,
  emoji: 'Emoji',
  findEmoji: 'Find an emoji',
  noEmoji: 'There is no such emoji.',
}
