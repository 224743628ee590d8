import { z } from 'zod'
import type { TextKey } from '../../languages/languages.ts'
import { cleanName } from '../../typed-text.ts'

export interface SignInForm {
  /** Clean: phone keyboards add spaces, and pastes bring hidden characters. */
  readonly username: string
  /** Exactly as received (OWASP ASVS 6.2.8). */
  readonly password: string
  /** True if other people use this computer too: then the viewer gets no session. */
  readonly isShared: boolean
}

export type SignInFormResult =
  | { readonly ok: true; readonly form: SignInForm }
  | {
      readonly ok: false
      readonly refusal: { status: number; text: TextKey }
      readonly username: string
      readonly isShared: boolean
    }

const Fields = z.object({ username: z.string(), password: z.string() })
/** U+FFFD replaces bytes that are not UTF-8, so that two different passwords would be the same. */
export const UNREADABLE_NAME = /[\p{Cc}\ufffd]/u
export const UNREADABLE_PASSWORD = /[\0\ufffd]/u

/** Reads the fields of the parsed form. A missing or repeated field (an array) is refused. */
export function readSignInForm(body: Readonly<Record<string, unknown>>): SignInFormResult {
  const isShared = body.shared !== undefined
  const refuse = (text: TextKey, username = '') =>
    ({ ok: false, refusal: { status: 400, text }, username, isShared }) as const
  const parsed = Fields.safeParse(body)
  if (!parsed.success) return refuse('badForm')
  const { password } = parsed.data
  const username = cleanName(parsed.data.username)
  if (UNREADABLE_NAME.test(username) || UNREADABLE_PASSWORD.test(password)) {
    return refuse('unreadableText')
  }
  if (username === '' || password === '') {
    return refuse('emptyFields', username)
  }
  return { ok: true, form: { username, password, isShared } }
}
