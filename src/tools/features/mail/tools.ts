import type { ToolFeature } from '../../tool-feature.ts'

export const mail: ToolFeature = {
  name: 'mail',
  check: async () => (await import('./doctor/mail.ts')).mailCheck,
  page: async () => ({ section: (await import('./manager/mails-section.ts')).mailsSection }),
}
