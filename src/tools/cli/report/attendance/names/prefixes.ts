import { usernameKey } from '../../../../../users/viewer-fields.ts'
import { canBecome, changedKeys, otherReadings } from './spelling.ts'

/**
 * Returns a function that finds the names that begin in this way and go on. The beginning may also have changed
 * characters; names that begin exactly so go first.
 */
export function openPrefixes(names: readonly string[]): (head: string) => number[] {
  const same = sorted(names.map((name) => [usernameKey(name)]))
  const changed = sorted(names.map(changedKeys))
  return (head) => {
    const asIs = [head, ...otherReadings(head)].flatMap((one) => same(usernameKey(one)))
    if (asIs.length > 0) return [...new Set(asIs)]
    const isPossible = (index: number) => canBecome(names[index] ?? '', head)
    return [...new Set(changedKeys(head).flatMap((key) => changed(key)))].filter(isPossible)
  }
}

/** Returns a function that finds the indexes of the longer texts with a prefix. */
function sorted(textsOf: readonly (readonly string[])[]): (prefix: string) => number[] {
  const entries = textsOf.flatMap((texts, index) => texts.map((text) => ({ text, index })))
  entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  return (prefix) => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.text ?? '') < prefix) low = middle + 1
      else high = middle
    }
    const found = []
    for (let at = low; entries[at]?.text.startsWith(prefix); at += 1) {
      const { text, index } = entries[at] as (typeof entries)[number]
      if (text.length > prefix.length) found.push(index)
    }
    return found
  }
}
