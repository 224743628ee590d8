/** A place is one of the screens on which a viewer may watch. */
export interface Claim {
  /** The name of the place: without spaces. */
  readonly place: string
  /** A place of the same browser that ends. */
  readonly replaces?: string | undefined
  /** How many places the viewer may have. The newest ones count. */
  readonly most: number
  /** UNIX time in whole seconds. */
  readonly nowSeconds: number
  readonly endsAtSeconds: number
  /**
   * `look` changes nothing. `if-free` extends the place, or takes a free one. `newest` also takes one from the oldest
   * place if none is free, and makes the place the newest.
   */
  readonly how: 'look' | 'if-free' | 'newest'
}

export type ClaimResult = 'taken' | 'taken-over' | 'none-free'

/**
 * Claims a place among the places of a viewer. A store behind a network does the same in a script.
 * @param text the places as `PLACE END PLACE END`, the newest last.
 * @returns the new text, or null if nothing changes.
 */
export function claimPlace(text: string, claim: Claim): { readonly result: ClaimResult; readonly text: string | null } {
  const { place, replaces, most, nowSeconds, endsAtSeconds, how } = claim
  const places = [...text.matchAll(/(\S+) (\d+)/g)].map(([, name = '', end]) => [name, Number(end)] as const)
  // A place that was taken over goes at the next claim.
  const live = places.filter(([name, end]) => end > nowSeconds && name !== replaces).slice(-most)
  const at = live.findIndex(([name]) => name === place)
  const isOver = at === -1 && live.length >= most
  if (isOver && how !== 'newest') return { result: 'none-free', text: null }
  const result = isOver ? 'taken-over' : 'taken'
  if (how === 'look') return { result, text: null }
  const isMoved = at !== -1 && how === 'newest'
  if (isMoved) live.splice(at, 1)
  if (at === -1 || isMoved) live.push([place, endsAtSeconds])
  else live[at] = [place, endsAtSeconds]
  return { result, text: live.flat().join(' ') }
}
