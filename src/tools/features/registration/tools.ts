import type { ToolFeature } from '../../tool-feature.ts'

export const registration: ToolFeature = {
  name: 'registration',
  commands: [
    {
      name: 'registrations',
      summary: 'guests who registered: list, approve, refuse, export',
      load: async () => (await import('./registrations-command.ts')).addRegistrationsCommands,
    },
  ],
  check: async () => (await import('./doctor/registration-check.ts')).registrationCheck,
  viewers: async () => {
    const { registrationRecords, registrationsOf } = await import('./registrations-of.ts')
    return { history: registrationsOf, records: registrationRecords }
  },
  scenes: async () => (await import('./preview/registration-preview.ts')).registrationPreview,
  invited: { registrations: async () => (await import('./attendance/registered-people.ts')).registeredPeople },
  page: async () => (await import('./manager/registrations-section.ts')).registrationsPart,
}
