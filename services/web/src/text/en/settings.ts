/** The settings of one's own account, and what all pages of settings have in common. */
export const settings = {
  title: 'Settings',
  organization: 'Organization',
  back: 'Back to messages',
  pages: 'Pages of settings',
  noPage: 'There is no such page, or you may not see it.',
  saved: 'Saved',
  saving: 'Saving…',
  change: (what: string) => `Save ${what}`,

  display: 'Display',
  look: {
    scheme: 'Colours',
    schemes: { automatic: 'As this device has them', day: 'Light', night: 'Dark' },
    contrast: 'Higher contrast',
    wide: 'Messages as wide as the window',
    wideHint: 'Otherwise lines end where they are easy to read.',
  },
}
