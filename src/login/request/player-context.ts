import { z } from 'zod'
import type { HashEntryPoint } from '../../entry-points/entry-point.ts'
import { decideReturnAddress, type ReturnAddress } from '../../hash-lock/return-address.ts'
import { requestedLanguage } from '../../languages/languages.ts'
import type { Content } from '../access-decision.ts'

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
  | { readonly ok: false; readonly problem: 'badConsumer' | 'badContent'; readonly reason: string }

const HashConsumer = z.string().optional()
const ContentName = z.string().regex(/^[\x21-\x7e]{1,64}$/)
const ContentFields = z.object({ ustreamContentType: ContentName.optional(), ustreamContentId: ContentName.optional() })

/**
 * Reads `hashConsumer`, `ustreamContentType`, `ustreamContentId` and `lang` from a query or a form. The viewer's
 * browser can change them, so the return address is decided again at each request.
 * @param source a parsed query or form. A repeated field is an array, and is refused. An unknown `lang` is ignored.
 */
export function readPlayerContext(
  source: Readonly<Record<string, unknown>>,
  entryPoint: Pick<HashEntryPoint, 'playerAddress' | 'consumers'>,
): ContextReading {
  const hashConsumer = HashConsumer.safeParse(source.hashConsumer)
  if (!hashConsumer.success) return { ok: false, problem: 'badConsumer', reason: 'is repeated' }
  const decision = decideReturnAddress(hashConsumer.data, entryPoint.playerAddress, entryPoint.consumers)
  if (!decision.ok) return { ok: false, problem: 'badConsumer', reason: decision.reason }
  const content = ContentFields.safeParse(source)
  if (!content.success) {
    const names = content.error.issues.map((issue) => issue.path.join('.')).join(', ')
    return { ok: false, problem: 'badContent', reason: `${names} is repeated, too long or not printable ASCII` }
  }
  const { ustreamContentType: type, ustreamContentId: id } = content.data
  const language = requestedLanguage(source)
  const fields = {
    ...(hashConsumer.data === undefined ? {} : { hashConsumer: hashConsumer.data }),
    ...(type === undefined ? {} : { ustreamContentType: type }),
    ...(id === undefined ? {} : { ustreamContentId: id }),
    ...(language === null ? {} : { lang: language }),
  }
  const named = { ...(type === undefined ? {} : { type }), ...(id === undefined ? {} : { id }) }
  return { ok: true, context: { address: decision.address, content: named, fields } }
}

/** Returns the context of a request without a query, the most common case, without parsing. */
export function emptyContext(entryPoint: Pick<HashEntryPoint, 'playerAddress'>): PlayerContext {
  return { address: entryPoint.playerAddress, content: {}, fields: {} }
}
