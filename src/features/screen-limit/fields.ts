import { z } from 'zod'
import type { FeatureSettings, ReadContext } from '../../entry-points/feature-settings.ts'
import { wholeNumber } from '../../settings/fields.ts'
import type { SettingValues } from '../../settings/setting.ts'

/** With more screens for one account, nobody would notice the limit. */
const MOST_SCREENS = 100
const NEEDS_END =
  'works only with a hash that expires (HASH_LIFETIME_SECONDS above 0): otherwise the player never asks again'
/** A screen that lost its place watches on until its response expires. */
const LONG_SECONDS = 900

/** The limit of an entry point. A sign-in `asks` before it takes the place of another screen. A place lives as long as a response. */
export type ScreenLimitSettings = NonNullable<ReturnType<typeof read>>

function settings() {
  return {
    screensPerViewer: wholeNumber(1, MOST_SCREENS)
      .optional()
      .meta({ inFile: 'number', protects: 'without it, an account can watch on any number of screens' }),
    screens: z.enum(['newest', 'ask'], 'must be newest or ask').default('newest'),
  }
}

type Values = SettingValues<ReturnType<typeof settings>>

/** Reads the limit of an entry point. Null if it has none. */
function read({ screensPerViewer: most, screens }: Values, { refuse, has, nameOf, lifetimeSeconds }: ReadContext) {
  if (screens === 'ask' && !has('screensPerViewer')) refuse('screens', `needs ${nameOf('screensPerViewer')}`)
  if (most === undefined) return null
  if (lifetimeSeconds === 0) refuse('screensPerViewer', NEEDS_END)
  return { most, asks: screens === 'ask', lifetimeSeconds }
}

/** The settings of the limit at an entry point: off without a number of screens. */
export const screenLimitFields = {
  name: 'screen-limit',
  settings,
  read,
  warningsOf: ({ lifetimeSeconds }, entryPoint) =>
    lifetimeSeconds > LONG_SECONDS
      ? [
          `Entry point ${entryPoint}: a screen that lost its place watches on for up to ${lifetimeSeconds} s. ` +
            'Set HASH_LIFETIME_SECONDS between 300 and 900.',
        ]
      : [],
} satisfies FeatureSettings<ReturnType<typeof settings>, ScreenLimitSettings>
