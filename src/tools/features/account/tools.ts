import type { ToolFeature } from '../../tool-feature.ts'

export const account: ToolFeature = {
  name: 'account',
  additions: { viewers: async () => (await import('./invite-command.ts')).addViewersInviteCommand },
  viewers: async () => ({ inviting: (await import('./invitations.ts')).invitations }),
  page: async () => ({ section: (await import('./manager/invitation-text.ts')).invitationTextSection }),
  scenes: async () => (await import('./preview/account-preview.ts')).accountPreview,
}
