import { z } from 'zod'
import type { TextKey } from '../../languages/languages.ts'
import { UNREADABLE_NAME } from '../../login/request/sign-in-form.ts'
import { cleanText, trimTyped } from '../../typed-text.ts'
import { canonicalText, faultInUsername } from '../../users/viewer-fields.ts'
import { canonicalCode } from './codes/code-text.ts'
import type { AccessCodeSettings } from './fields.ts'

const LONGEST_NAME = 100
const Fields = z.object({ code: z.string(), name: z.string().optional() })

export interface CodeForm {
  /** The canonical code. Null for a text that cannot be a code. */
  readonly code: string | null
  /** Null if the form asks for no name, or no name was typed. */
  readonly name: string | null
}

export type CodeFormResult =
  | { readonly ok: true; readonly form: CodeForm }
  | { readonly ok: false; readonly status: number; readonly text: TextKey }

/** Reads the form of a code. A missing or repeated field is refused. */
export function readCodeForm(
  body: Readonly<Record<string, unknown>>,
  { asksName }: Pick<AccessCodeSettings, 'asksName'>,
): CodeFormResult {
  const refuse = (text: TextKey) => ({ ok: false, status: 400, text }) as const
  const parsed = Fields.safeParse(body)
  if (!parsed.success) return refuse('badForm')
  const { code } = parsed.data
  const name = asksName === 'off' ? '' : canonicalText(cleanText((parsed.data.name ?? '').slice(0, 4 * LONGEST_NAME)))
  if (trimTyped(code) === '') return refuse('access-codes.emptyCode')
  if (name === '' && asksName === 'required') return refuse('access-codes.emptyName')
  if (UNREADABLE_NAME.test(name) || name.length > LONGEST_NAME || (name !== '' && faultInUsername(name) !== null)) {
    return refuse('access-codes.unusableName')
  }
  const canonical = canonicalCode(code)
  return { ok: true, form: { code: canonical, name: name === '' ? null : name.replace(/\s+/g, ' ') } }
}
