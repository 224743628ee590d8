import { codeDigest } from './code-digest.ts'
import { type Batch, MOST_CODES } from './code-records.ts'
import type { NewCode } from './code-store.ts'
import { canonicalCode, randomCode, shownCode } from './code-text.ts'

/** The person who gets a code, as far as known. */
export interface Holder {
  readonly name: string | null
  readonly groups: readonly string[]
  readonly attributes: Readonly<Record<string, string>>
}

/** A code with its text, which is shown once. */
export interface ShownCode extends Holder {
  readonly number: number
  readonly code: string
}

export const NO_HOLDER: Holder = { name: null, groups: [], attributes: {} }

/**
 * Makes random codes for people, all different.
 * @param key ACCESS_CODE_KEY.
 * @param words of the customer before each code. Null for none.
 */
export function newCodes(
  { entryPoint, length }: Pick<Batch, 'entryPoint' | 'length'>,
  holders: readonly Holder[],
  key: string,
  words: string | null = null,
): { readonly shown: readonly ShownCode[]; readonly stored: readonly NewCode[] } {
  if (holders.length > MOST_CODES) throw new RangeError(`A batch has ${MOST_CODES} codes at most`)
  const texts = new Set<string>()
  while (texts.size < holders.length) texts.add(shownCode(randomCode(length), words))
  const shown = [...texts].map((code, index) => ({ ...(holders[index] ?? NO_HOLDER), number: index + 1, code }))
  const stored = shown.map(({ code, groups, ...rest }) => {
    const digest = codeDigest(key, entryPoint, canonicalCode(code) ?? '')
    return { ...rest, groups: [...groups], revokedAtSeconds: null, digest }
  })
  return { shown, stored }
}
