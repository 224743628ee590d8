import type { ToolFeature } from '../../tool-feature.ts'

export const mailSignIn: ToolFeature = {
  name: 'mail-sign-in',
  check: async () => (await import('./doctor/mail-way.ts')).mailWay,
  settings: async () => {
    const { faultsOfGuests, guestCounts } = await import('./guest-lists.ts')
    return { faultsIn: faultsOfGuests, notesOn: guestCounts }
  },
  viewers: async () => ({ fact: (await import('./shared-addresses.ts')).sharedAddressesFact }),
  drill: async () => ({ wayIn: (await import('./drill/mail-guests.ts')).mailWay }),
  scenes: async () => (await import('./preview/mail-sign-in-preview.ts')).mailSignInPreview,
  page: async () => ({ wayIn: (await import('./manager/mail-way.ts')).mailWay }),
}
