import type { ToolFeature } from '../../tool-feature.ts'

export const accessCodes: ToolFeature = {
  name: 'access-codes',
  commands: [
    {
      name: 'codes',
      summary: 'access codes and tickets for people without an account',
      load: async () => (await import('./codes-command.ts')).addCodesCommands,
    },
  ],
  check: async () => (await import('./doctor/codes-check.ts')).codesCheck,
  viewers: async () => ({ records: (await import('./codes-of-person.ts')).codesOfPerson }),
  settings: async () => ({ notesOn: (await import('./code-budgets.ts')).codeBudgets }),
  drill: async () => ({ wayIn: (await import('./drill/made-up-codes.ts')).accessCodeWay }),
  scenes: async () => (await import('./preview/access-codes-preview.ts')).accessCodesPreview,
  invited: { codes: async () => (await import('./attendance/code-people.ts')).codePeople },
  page: async () => (await import('./manager/codes-section.ts')).codesPart,
}
