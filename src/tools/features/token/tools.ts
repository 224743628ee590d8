import type { ToolFeature } from '../../tool-feature.ts'

export const token: ToolFeature = {
  name: 'token',
  additions: { response: async () => (await import('./response/embed-command.ts')).addEmbedCommand },
  variants: { 'secret generate': async () => (await import('./key-pair-option.ts')).keyPair },
  check: async () => (await import('./doctor/token-answer.ts')).tokenCheck,
  responseKind: async () => (await import('./response/token-kind.ts')).tokenKind,
  lockKind: async () => (await import('./service/token-locks.ts')).tokenLocks,
  answerCheck: async () => (await import('./doctor/token-answer.ts')).tokenAnswer,
  scenes: async () => (await import('./preview/token-preview.ts')).tokenPreview,
}
