import { z } from 'zod'
import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import { requestedLanguage } from '../../languages/languages.ts'
import type { Content } from '../answer/access-decision.ts'
import type { AddressProblem, AddressReading, PlayerAnswer } from '../answer/answer.ts'

/**
 * The parameters from the player. The form repeats them in hidden fields, because the login must work without cookies.
 */
export interface PlayerContext {
  readonly address: ReturnAddress
  readonly content: Content
  /** As received, for the hidden fields. Checked again when the form comes back. With `lang`, if the app knows it. */
  readonly fields: Readonly<Record<string, string>>
}

export type ContextReading =
  | { readonly ok: true; readonly context: PlayerContext }
  | Extract<AddressReading, { ok: false }>

const BAD_ADDRESS: AddressProblem = { text: 'badConsumer', title: 'badRequest' }
const BAD_CONTENT: AddressProblem = { text: 'badContent', title: 'badRequest' }
const ContentName = z.string().regex(/^[\x21-\x7e]{1,64}$/)
const ContentFields = z.object({ ustreamContentType: ContentName.optional(), ustreamContentId: ContentName.optional() })

/**
 * Reads the return address, `ustreamContentType`, `ustreamContentId` and `lang` from a query or a form. The viewer's
 * browser can change them, so the return address is decided again at each request.
 * @param source a parsed query or form. A repeated field is an array, and is refused. An unknown `lang` is ignored.
 */
export function readPlayerContext(
  source: Readonly<Record<string, unknown>>,
  { addressField: name, readAddress }: Pick<PlayerAnswer, 'addressField' | 'readAddress'>,
): ContextReading {
  const given = source[name]
  if (given !== undefined && typeof given !== 'string') {
    return { ok: false, problem: BAD_ADDRESS, reason: `${name} is repeated` }
  }
  const decision = readAddress(given)
  if (!decision.ok) return decision
  const content = ContentFields.safeParse(source)
  if (!content.success) {
    const names = content.error.issues.map((issue) => issue.path.join('.')).join(', ')
    return { ok: false, problem: BAD_CONTENT, reason: `${names} is repeated, too long or not printable ASCII` }
  }
  const { ustreamContentType: type, ustreamContentId: id } = content.data
  const language = requestedLanguage(source)
  const fields = {
    ...(typeof given === 'string' ? { [name]: given } : {}),
    ...(type === undefined ? {} : { ustreamContentType: type }),
    ...(id === undefined ? {} : { ustreamContentId: id }),
    ...(language === null ? {} : { lang: language }),
  }
  const named = { ...(type === undefined ? {} : { type }), ...(id === undefined ? {} : { id }) }
  return { ok: true, context: { address: decision.address, content: named, fields } }
}
