import type { OtherWay } from '../../../manager/people/other-ways.ts'

/** Single sign-on, for a person whom the identity provider has signed in before. */
export const ssoWay: OtherWay = {
  name: 'sso',
  isOpenTo: ({ state }, { features }) => Promise.resolve(state === 'only-at-provider' && features.sso !== undefined),
}
