import { setTimeout as sleep } from 'node:timers/promises'
import type { AppProgram } from './app-program.ts'
import { type Sample, startTrickle } from './trickle.ts'
import { type Kind, NORMAL, OPERATOR, type Visitor, visit } from './visit.ts'

/** A fault and its row in the README. */
export interface Fault {
  /** The first column of the row. */
  readonly id: string
  /** The outcomes other than the normal ones, by kind. The suite sees each of them, and no other. */
  readonly sees: Partial<Record<Kind, readonly string[]>>
  /** Outcomes that depend on chance. */
  readonly maySee?: Partial<Record<Kind, readonly string[]>>
  /** The longest wait for an answer, from the beginning of the fault. */
  readonly waitSeconds: number
  /** From the end of the fault to the last request with another outcome. */
  readonly recoverySeconds: number
  /** Starts the programs that the fault needs. */
  prepare(): Promise<Stage>
}

/** Running programs, and the fault that can be switched on. */
export interface Stage {
  /** The port that viewers connect to. */
  readonly port: number
  readonly copies: readonly AppProgram[]
  begin(): Promise<unknown> | unknown
  end(): Promise<unknown> | unknown
  /** Default: LASTS_MS. */
  readonly lastsMs?: number
}

/** Each returns every ten seconds, so that the app sees no loop. */
const VISITORS = 50
const SIGN_INS_AT_ONCE = 10
const LASTS_MS = 5_000

/** The viewers of all rehearsals. */
export const VISITORS_BEFORE: readonly Visitor[] = Array.from({ length: VISITORS }, (_none, index) => ({
  username: `viewer-${index}@example.com`,
  address: `127.0.1.${index + 1}`,
  cookie: null,
}))

/** Runs the fault under a steady trickle of viewers, and returns what they saw. */
export async function rehearse(stage: Stage) {
  const { port, copies } = stage
  const visitors: Visitor[] = []
  while (visitors.length < VISITORS) {
    const next = VISITORS_BEFORE.slice(visitors.length, visitors.length + SIGN_INS_AT_ONCE)
    visitors.push(...(await Promise.all(next.map((visitor) => signedIn(port, visitor)))))
  }
  const trickle = startTrickle(port, visitors)
  try {
    await trickle.untilNormal(performance.now())
    const begunMs = performance.now()
    await stage.begin()
    await sleep(stage.lastsMs ?? LASTS_MS)
    await stage.end()
    const recoveryMs = await trickle.untilNormal(performance.now())
    await trickle.stop()
    const during = trickle.samples.filter(({ startedMs }) => startedMs >= begunMs)
    const cookies = [...visitors, ...during].flatMap(({ cookie }) => cookie ?? [])
    const returns = await Promise.all(cookies.map((cookie) => visit(port, 'return', { ...OPERATOR, cookie })))
    return {
      sees: seenIn(during),
      waitSeconds: Math.max(...during.map(({ tookMs }) => tookMs)) / 1000,
      recoverySeconds: recoveryMs / 1000,
      /** Outcomes of returns with sessions from before or during the fault, except responses. */
      lostSessions: returns.map(({ outcome }) => outcome).filter((outcome) => outcome !== NORMAL.return),
      /** Answers 429 and 503 of a sign-in that do not say when to try again, or say more than a minute. */
      badRetryAfter: during.filter(isRefusedForNow).flatMap(({ retryAfterSeconds: seconds }) => {
        return seconds !== null && seconds >= 1 && seconds <= 60 ? [] : [seconds]
      }),
      statuses: await Promise.all(copies.map((copy) => copy.stop())),
    }
  } finally {
    await trickle.stop()
  }
}

async function signedIn(port: number, visitor: Visitor): Promise<Visitor> {
  const { outcome, cookie } = await visit(port, 'right password', visitor)
  if (cookie === null) throw new Error(`${visitor.username} cannot sign in before the fault: ${outcome}`)
  return { ...visitor, cookie }
}

function isRefusedForNow({ kind, outcome }: Sample): boolean {
  return kind.endsWith('password') && (outcome === '429' || outcome === '503')
}

/** Returns the outcomes that are not normal, by kind. */
function seenIn(samples: readonly Sample[]) {
  const sees: Partial<Record<Kind, string[]>> = {}
  for (const { kind, outcome } of samples) {
    if (outcome === NORMAL[kind] || sees[kind]?.includes(outcome)) continue
    sees[kind] = [...(sees[kind] ?? []), outcome].toSorted()
  }
  return sees
}
