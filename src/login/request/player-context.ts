import { z } from 'zod'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { decideReturnAddress, type ReturnAddress } from '../../hash-lock/return-address.ts'
import type { Content } from '../access-policy.ts'

/** What the caller gave us and what has to come through the form: without a cookie there is no other place for it. */
export interface Carried {
  readonly address: ReturnAddress
  readonly content: Content
  /** As received, for the hidden fields: checked again when they come back. */
  readonly fields: Readonly<Record<string, string>>
}

export type CarriedReading =
  | { readonly ok: true; readonly carried: Carried }
  | { readonly ok: false; readonly problem: 'badConsumer' | 'badContent'; readonly reason: string }

const HashConsumer = z.string().optional()
const ContentName = z.string().regex(/^[\x21-\x7e]{1,64}$/)
const ContentFields = z.object({ ustreamContentType: ContentName.optional(), ustreamContentId: ContentName.optional() })

/**
 * Reads `hashConsumer`, `ustreamContentType` and `ustreamContentId` from a query or a form. All of it passed through the
 * viewer's browser, so the return address is decided upon here, on the screen and again on each post.
 * @param source parsed flat: a repeated field is an array, and refused.
 */
export function readCarried(
  source: Readonly<Record<string, unknown>>,
  entryPoint: Pick<EntryPoint, 'playerAddress' | 'consumers'>,
): CarriedReading {
  const hashConsumer = HashConsumer.safeParse(source.hashConsumer)
  if (!hashConsumer.success) return { ok: false, problem: 'badConsumer', reason: 'is given more than once' }
  const decision = decideReturnAddress(hashConsumer.data, entryPoint.playerAddress, entryPoint.consumers)
  if (!decision.ok) return { ok: false, problem: 'badConsumer', reason: decision.reason }
  const content = ContentFields.safeParse(source)
  if (!content.success) {
    const names = content.error.issues.map((issue) => issue.path.join('.')).join(', ')
    return { ok: false, problem: 'badContent', reason: `${names} is repeated, too long or not printable ASCII` }
  }
  const { ustreamContentType: type, ustreamContentId: id } = content.data
  const fields = {
    ...(hashConsumer.data === undefined ? {} : { hashConsumer: hashConsumer.data }),
    ...(type === undefined ? {} : { ustreamContentType: type }),
    ...(id === undefined ? {} : { ustreamContentId: id }),
  }
  const named = { ...(type === undefined ? {} : { type }), ...(id === undefined ? {} : { id }) }
  return { ok: true, carried: { address: decision.address, content: named, fields } }
}

/** For a request that carries nothing: the commonest, answered without parsing. */
export function nothingCarried(entryPoint: Pick<EntryPoint, 'playerAddress'>): Carried {
  return { address: entryPoint.playerAddress, content: {}, fields: {} }
}
