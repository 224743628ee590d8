import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { PartState, ScreenPart } from './screen-part.ts'
import { pathOf } from './send.ts'

/** The password as a way to sign in. */
export const PASSWORD_WAY: ScreenPart = {
  name: 'password',
  prompts: [{ value: 'password' }],
  show: ({ texts, basePath, fields }) => ({
    template: 'parts/sign-in-form',
    part: {},
    way: {
      id: 'use-password',
      icon: 'parts/password-icon',
      address: pathOf(basePath, { ...fields, prompt: 'password' }),
      text: texts.usePassword,
    },
  }),
}

/**
 * Returns the ways to sign in at an entry point. The first one has the first screen: FIRST_WAY, or a way that comes before
 * the password, or the password.
 */
export function waysOf(
  { hasPasswordForm, firstWay }: Pick<EntryPoint, 'hasPasswordForm' | 'firstWay'>,
  parts: readonly ScreenPart[],
): readonly ScreenPart[] {
  const ways = hasPasswordForm ? [PASSWORD_WAY, ...parts] : parts
  const first = ways.find(({ name }) => name === firstWay) ?? ways.find(({ isFirst }) => isFirst) ?? ways[0]
  return first ? [first, ...ways.filter((way) => way !== first)] : []
}

/** Returns the values by which the template shows the ways to sign in. The screen belongs to one of them. */
export function wayLocals(ways: readonly ScreenPart[], state: PartState) {
  const chosen = ways.find(({ prompts }) => prompts.some(({ value }) => value === state.prompt)) ?? ways[0]
  const others = ways.filter((way) => way !== chosen)
  const { notice = null, link = null, ...main } = chosen?.show(state) ?? {}
  return {
    main,
    notice,
    link,
    ways: others.map((way) => way.show(state).way),
    stylesheets: ways.every((way) => way === PASSWORD_WAY) ? [] : ['ways.css'],
    scripts: [...new Set(ways.flatMap(({ script }) => script ?? []))],
  }
}
