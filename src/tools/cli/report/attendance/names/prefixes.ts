import { usernameKey } from '../../../../../users/viewer-fields.ts'
import { canBecome, changedKeys, otherReadings } from './spelling.ts'

/**
 * Returns a function that finds the names that begin in this way and go on. If none begins exactly so, the beginning may
 * also have changed characters.
 * @param free the names to search, by their indexes.
 * @param changeable those of them with characters that some systems do not keep.
 */
export function openPrefixes(
  names: readonly string[],
  free: readonly number[],
  changeable: readonly number[],
): (head: string) => number[] {
  const same = sorted(free.map((index) => ({ index, text: usernameKey(names[index] ?? '') })))
  const changed = sorted(
    changeable.flatMap((index) => changedKeys(names[index] ?? '').map((text) => ({ index, text }))),
  )
  return (head) => {
    const asIs = [head, ...otherReadings(head)].flatMap((one) => same(usernameKey(one)))
    if (asIs.length > 0 || changeable.length === 0) return [...new Set(asIs)]
    const isPossible = (index: number) => canBecome(names[index] ?? '', head)
    return [...new Set(changedKeys(head).flatMap((key) => changed(key)))].filter(isPossible)
  }
}

/** Returns a function that finds the indexes of the longer texts with a prefix. */
function sorted(entries: { readonly text: string; readonly index: number }[]): (prefix: string) => number[] {
  entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  return (prefix) => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.text ?? '') < prefix) low = middle + 1
      else high = middle
    }
    const found = []
    for (let entry = entries[low]; entry?.text.startsWith(prefix); entry = entries[++low]) {
      if (entry.text.length > prefix.length) found.push(entry.index)
    }
    return found
  }
}
