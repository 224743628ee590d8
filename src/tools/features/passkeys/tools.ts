import type { ToolFeature } from '../../tool-feature.ts'

export const passkeys: ToolFeature = {
  name: 'passkeys',
  additions: { viewers: async () => (await import('./passkeys-command.ts')).addViewersPasskeysCommands },
  check: async () => (await import('./doctor/passkeys-check.ts')).passkeysCheck,
  viewers: async () => ({
    fact: (await import('./passkeys-fact.ts')).passkeysFact,
    noteOnNewPassword: (await import('./passkeys-note.ts')).passkeysNote,
    notExported: 'passkeys',
  }),
  page: async () => (await import('./manager/passkeys-section.ts')).passkeysPart,
  scenes: async () => (await import('./preview/passkeys-preview.ts')).passkeysPreview,
}
