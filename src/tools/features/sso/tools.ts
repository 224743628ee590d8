import type { ToolFeature } from '../../tool-feature.ts'

export const sso: ToolFeature = {
  name: 'sso',
  check: async () => (await import('./doctor/sso-check.ts')).ssoCheck,
  scenes: async () => (await import('./preview/sso-preview.ts')).ssoPreview,
  page: async () => ({ wayIn: (await import('./manager/sso-way.ts')).ssoWay }),
}
