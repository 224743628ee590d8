import type { Brand } from '../../../src/brand/brand.ts'
import type { Language } from '../../../src/languages/languages.ts'
import { createPages } from '../../../src/login/screens/page.ts'
import type { ScreenPart } from '../../../src/login/screens/screen-part.ts'
import { type SignInState, signInLocals } from '../../../src/login/screens/screens.ts'
import { openViews } from '../../../src/login/screens/views.ts'
import { waysOf } from '../../../src/login/screens/ways.ts'
import { accessCodeScreenWay } from '../../features/access-codes/screen-way.ts'
import { mailScreenWay } from '../../features/mail-sign-in/screen-way.ts'
import { passkeyScreenWay } from '../../features/passkeys/screen-way.ts'
import { registrationScreenWay } from '../../features/registration/screen-way.ts'
import { ssoScreenWay } from '../../features/sso/screen-way.ts'
import type { Screen } from './screen.ts'

/** A fork that deletes a feature deletes its line. The order is that of the app. */
const WAYS = {
  ssoScreenWay,
  passkeyScreenWay,
  mailScreenWay,
  registrationScreenWay,
  accessCodeScreenWay,
}

/** The ways to sign in besides the password. */
const SCREEN_WAYS: readonly ScreenPart[] = Object.values(WAYS)

/** Ways that one sign-in screen has together. */
export interface Combination {
  readonly name: string
  readonly hasPasswordForm: boolean
  readonly parts: readonly ScreenPart[]
}

/** Combines the password, or no password, with other ways. */
function combine(hasPasswordForm: boolean, ...parts: readonly ScreenPart[]): Combination {
  const names = parts.map(({ name }) => name)
  return { name: [...(hasPasswordForm ? ['password'] : []), ...names].join(' + '), hasPasswordForm, parts }
}

export const SINGLE_WAYS = [combine(true), ...SCREEN_WAYS.map((way) => combine(false, way))]
export const PAIRS = [
  ...SCREEN_WAYS.map((way) => combine(true, way)),
  ...SCREEN_WAYS.flatMap((one, index) => SCREEN_WAYS.slice(index + 1).map((other) => combine(false, one, other))),
]
export const ALL_WAYS = combine(true, ...SCREEN_WAYS)

const views = openViews()

/** Returns the screens of ways together: each way as the first one, before and after a refusal, and its other forms. */
export function screensOf({ name, hasPasswordForm, parts }: Combination, language: Language, brand: Brand): Screen[] {
  const page = createPages(brand, views.asset('icon.svg'))(language)
  const context = { address: { url: '', origin: '' }, content: {}, fields: {} }
  const refusal = { status: 503, text: 'storeDown', retryAfterSeconds: 5 } as const
  return waysOf({ hasPasswordForm }, parts).flatMap((first) => {
    const ways = waysOf({ hasPasswordForm, firstWay: first.name }, parts)
    const states: Record<string, Omit<SignInState, 'context'>> = {
      first: {},
      ...Object.fromEntries(
        first.prompts.map(({ value: prompt }) => [prompt, { prompt, username: 'ada@example.com' }]),
      ),
      refused: { refusal, username: 'ada@example.com' },
    }
    return Object.entries(states).map(([state, values]) => {
      const locals = signInLocals({ views, brand, basePath: '', ways }, page, { ...values, context })
      return { name: `${language} ${name}: ${first.name} ${state}`, html: views.signIn(locals) }
    })
  })
}
