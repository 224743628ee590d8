import { z } from 'zod'
import type { Refusal } from '../screens/screens.ts'

export interface SignInForm {
  /** Without spaces around it: keyboards of phones add them. */
  readonly username: string
  /** Exactly as received (OWASP ASVS 6.2.8). */
  readonly password: string
}

export type SignInReading =
  | { readonly ok: true; readonly form: SignInForm }
  | { readonly ok: false; readonly refusal: Refusal; readonly username: string }

const Fields = z.object({ username: z.string(), password: z.string() })
/** U+FFFD stands for bytes that are not UTF-8; two such passwords would be taken for the same. */
const UNREADABLE_NAME = /[\p{Cc}\ufffd]/u
const UNREADABLE_PASSWORD = /[\0\ufffd]/u

/**
 * Reads the two fields of the form. A repeated one (an array) or a missing one is not our form.
 * @param body as the form's parser left it.
 */
export function readSignInForm(body: Readonly<Record<string, unknown>>): SignInReading {
  const parsed = Fields.safeParse(body)
  if (!parsed.success) return { ok: false, refusal: { status: 400, text: 'badForm' }, username: '' }
  const { password } = parsed.data
  const username = parsed.data.username.trim()
  if (UNREADABLE_NAME.test(username) || UNREADABLE_PASSWORD.test(password)) {
    return { ok: false, refusal: { status: 400, text: 'unreadableText' }, username: '' }
  }
  if (username === '' || password === '') {
    return { ok: false, refusal: { status: 400, text: 'emptyFields' }, username }
  }
  return { ok: true, form: { username, password } }
}
