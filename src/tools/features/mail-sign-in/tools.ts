import type { ToolFeature } from '../../tool-feature.ts'

export const mailSignIn: ToolFeature = {
  name: 'mail-sign-in',
  settings: async () => {
    const { faultsOfGuests, guestCounts } = await import('./guest-lists.ts')
    return { faultsIn: faultsOfGuests, notesOn: guestCounts }
  },
  viewers: async () => ({ fact: (await import('./shared-addresses.ts')).sharedAddressesFact }),
  drill: async () => {
    const { withMailGuests } = await import('./drill/mail-guests.ts')
    return { wayIn: { name: 'mail', takesFields: false, withCrowd: withMailGuests } }
  },
  scenes: async () => (await import('./preview/mail-sign-in-preview.ts')).mailSignInPreview,
  page: async () => ({ wayIn: (await import('./manager/mail-way.ts')).mailWay }),
}
