/** What is done with messages, topics and streams. */
export const acting = {
  more: 'More',
  remove: { title: 'Delete this message?', sentence: 'It disappears for everybody.', yes: 'Delete' },
  quote: 'Quote',
  said: 'said',
  copyLink: 'Copy the link',
  copied: 'Copied',
  notCopied: (what: string) => `The browser doesn’t let the page copy: ${what}`,
}
