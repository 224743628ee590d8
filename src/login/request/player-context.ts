import { z } from 'zod'
import type { HashEntryPoint, TokenEntryPoint } from '../../entry-points/entry-point.ts'
import {
  alreadyHas,
  decideRef,
  decideReturnAddress,
  type ReturnAddress,
  type ReturnDecision,
} from '../../hash-lock/return-address.ts'
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
  | { readonly ok: false; readonly problem: ContextProblem; readonly reason: string }

/** `refusedToken`: the address of the player already has a token, so the player did not accept the token. */
export type ContextProblem = 'badConsumer' | 'badContent' | 'missingRef' | 'refusedToken'

/** The settings of an entry point that decide where an answer may go. */
export type ReturnSettings =
  | Pick<HashEntryPoint, 'viewerAuth' | 'playerAddress' | 'consumers'>
  | Pick<TokenEntryPoint, 'viewerAuth' | 'refAddresses'>

const ContentName = z.string().regex(/^[\x21-\x7e]{1,64}$/)
const ContentFields = z.object({ ustreamContentType: ContentName.optional(), ustreamContentId: ContentName.optional() })

/**
 * Reads `hashConsumer` (with tokens `ref`), `ustreamContentType`, `ustreamContentId` and `lang` from a query or a form.
 * The viewer's browser can change them, so the return address is decided again at each request.
 * @param source a parsed query or form. A repeated field is an array, and is refused. An unknown `lang` is ignored.
 */
export function readPlayerContext(
  source: Readonly<Record<string, unknown>>,
  entryPoint: ReturnSettings,
): ContextReading {
  const name = entryPoint.viewerAuth === 'hash' ? 'hashConsumer' : 'ref'
  const given = source[name]
  const decision = decideAddress(given, entryPoint)
  if (!decision.ok) {
    return { ok: false, problem: problemOf(decision.reason, given), reason: `${name} ${decision.reason}` }
  }
  const content = ContentFields.safeParse(source)
  if (!content.success) {
    const names = content.error.issues.map((issue) => issue.path.join('.')).join(', ')
    return { ok: false, problem: 'badContent', reason: `${names} is repeated, too long or not printable ASCII` }
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

function decideAddress(given: unknown, entryPoint: ReturnSettings): ReturnDecision {
  if (given !== undefined && typeof given !== 'string') return { ok: false, reason: 'is repeated' }
  if (entryPoint.viewerAuth === 'token') {
    return decideRef(given, entryPoint.refAddresses)
  }
  return decideReturnAddress(given, entryPoint.playerAddress, entryPoint.consumers)
}

function problemOf(reason: string, given: unknown): ContextProblem {
  if (given === undefined) return 'missingRef'
  return reason === alreadyHas('vt') ? 'refusedToken' : 'badConsumer'
}

/** Returns the reading of a request without a query, the most common case with a hash, without parsing. */
export function readEmptyContext(entryPoint: ReturnSettings): ContextReading {
  if (entryPoint.viewerAuth === 'token') return readPlayerContext({}, entryPoint)
  return { ok: true, context: { address: entryPoint.playerAddress, content: {}, fields: {} } }
}
