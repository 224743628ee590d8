/** The guests of a full hall, who share one address. */
export const HALL = 1_000
/** As many as arrive at the same moment. */
const AT_A_TIME = 25

/** Lets each guest of a hall do the same. @returns what they get, by guest. */
export async function inHall<T>(visit: (guest: number) => Promise<T>, guests: number = HALL): Promise<T[]> {
  const results: T[] = []
  let next = 0
  async function visitor(): Promise<void> {
    while (next < guests) {
      const guest = next++
      results[guest] = await visit(guest)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, visitor))
  return results
}

/** Returns how often each status was answered. */
export function statusesOf(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
