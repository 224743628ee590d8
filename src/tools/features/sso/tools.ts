import type { OtherWay } from '../../manager/people/other-ways.ts'
import type { ToolFeature } from '../../tool-feature.ts'

/** Single sign-on, for a person whom the identity provider has signed in before. */
const ssoWay: OtherWay = {
  name: 'sso',
  isOpenTo: ({ state }, { features }) => Promise.resolve(state === 'only-at-provider' && features.sso !== undefined),
}

export const sso: ToolFeature = {
  name: 'sso',
  check: async () => (await import('./doctor/sso-check.ts')).ssoCheck,
  scenes: async () => (await import('./preview/sso-preview.ts')).ssoPreview,
  page: () => Promise.resolve({ wayIn: ssoWay }),
}
