import { z } from 'zod'
import { fail, splitList } from '../../settings/fields.ts'

/** Shorter words are part of too many strong passwords. */
const SHORTEST_WORD = 4

/** `CONTEXT_WORDS`: words such as the names of the company, its products and channels, comma-separated. */
export const ContextWords = z
  .string()
  .refine((text) => !/[;|]/.test(text), 'must be words separated by commas, not by ; or |')
  .transform((text, context): string[] =>
    splitList(text, /,/).flatMap((word, index) =>
      [...word].length >= SHORTEST_WORD
        ? [word]
        : fail(context, `: item ${index + 1} is shorter than ${SHORTEST_WORD} characters`),
    ),
  )

/** Returns the names in the host of an address, without the top-level domain. Empty for a text that is not an address. */
export function wordsOfHost(address: string): string[] {
  const host = URL.canParse(address) ? new URL(address).hostname : ''
  return /[a-z]/.test(host) ? host.split('.').slice(0, -1).filter(isLongEnough) : []
}

/** Returns the parts of names that are long enough to be compared. */
export function partsOf(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, ...name.split(/[@._\s-]+/)]).filter(isLongEnough)
}

function isLongEnough(word: string): boolean {
  return [...word].length >= SHORTEST_WORD
}
