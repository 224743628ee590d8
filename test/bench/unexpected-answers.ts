/** A server gave other answers than the measurement needs, or closed a connection. The round says nothing. */
export class UnexpectedAnswers extends Error {
  override readonly name = 'UnexpectedAnswers'
}

/** The status of a request whose connection ended without an answer. */
export const CLOSED = 0

/** @throws UnexpectedAnswers unless there are answers, and all have one of the statuses. */
export function expectOnly(
  allowed: readonly number[],
  statuses: ReadonlyMap<number, number> | readonly { readonly status: number }[],
): void {
  const counts = statuses instanceof Map ? statuses : countsOf(statuses as readonly { readonly status: number }[])
  if (counts.size > 0 && [...counts.keys()].every((status) => allowed.includes(status))) return
  const seen = [...counts].map(([status, count]) => `${count} × ${status === CLOSED ? 'closed' : status}`)
  throw new UnexpectedAnswers(`Expected only ${allowed.join(' and ')}, got ${seen.join(', ') || 'no answer'}`)
}

function countsOf(answers: readonly { readonly status: number }[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

/** Waits for all, also after a failure, so that nothing disturbs the next round. @throws the first failure. */
export async function allDone<T extends readonly unknown[]>(
  running: {
    readonly [K in keyof T]: Promise<T[K]>
  },
): Promise<T> {
  await Promise.allSettled(running)
  return (await Promise.all(running)) as unknown as T
}
