import { reloadSeconds } from '../../../src/features/doors/waiting/reload-time.ts'
import { quantile } from '../bench-row.ts'
import type { PlanFigures } from './figures.ts'
import { simulateOpening } from './simulated-opening.ts'

export interface PlannedEvent {
  readonly viewers: number
  /** The time in which all viewers come. */
  readonly minutes: number
}

/** A limit of the event: what it needs at its peak, and how much there is. */
export interface Need {
  readonly what: string
  readonly needed: number
  readonly unit: string
  /** Null if there is more for money, without a limit that this project knows. */
  readonly limit: number | null
  readonly advice: string
}

export interface Plan {
  readonly copies: number
  readonly needs: readonly Need[]
  /** Seconds after the opening. */
  readonly opening: { readonly medianSeconds: number; readonly lastSeconds: number }
}

/** The densest seconds have twice the average of the ramp. */
const PEAK = 2
/** The share of the cores that is not hashing: pages, assets, the log. */
const REST = 1 / 8
/** With more, the JavaScript of one process is full. The row "evening" measures it. */
const CORES_OF_A_COPY = 4
/** More viewers at one copy would wait for longer than 20 seconds at the opening. */
const WAITING_AT_A_COPY = 50_000
/** The page, six assets and the sign-in. */
const REQUESTS_OF_A_SIGN_IN = 8
/** `POSTGRES_POOL_SIZE` by default, and what a server of PostgreSQL accepts by default. */
const POOL = 10
const POSTGRES_CONNECTIONS = 100
/** The default of `maxclients`. */
const REDIS_CONNECTIONS = 10_000
/** The default of `MAIL_CODES_PER_HOUR`. */
const MAILS_PER_HOUR = 10_000

/** Plans an event whose copies share Redis and PostgreSQL. */
export function planFor(figures: PlanFigures, { viewers, minutes }: PlannedEvent, random = Math.random): Plan {
  const perSecond = (viewers / (minutes * 60)) * PEAK
  const cores = ((perSecond * (figures.signInMicros + figures.pageMicros)) / 1e6) * (1 + REST)
  const copies = Math.max(Math.ceil(cores / CORES_OF_A_COPY), Math.ceil(viewers / WAITING_AT_A_COPY))
  const waiting = viewers / copies
  const reloadsPerSecond = waiting / reloadSeconds(Number.MAX_SAFE_INTEGER, waiting, 0.5)
  const entered = simulateOpening({ ...figures, viewers: Math.round(waiting), random })
  const needs: Need[] = [
    {
      what: 'Cores for sign-ins',
      needed: cores,
      unit: 'cores',
      limit: null,
      advice: `${copies} copies with ${CORES_OF_A_COPY} cores each, and one to spare`,
    },
    {
      what: 'JavaScript of a copy while viewers wait',
      needed: (reloadsPerSecond * figures.reloadMicros) / 1e6,
      unit: 'cores',
      limit: 1,
      advice: 'more copies',
    },
    {
      what: 'CPU of Redis at the peak',
      needed: (perSecond * figures.redisMicros) / 1e6,
      unit: 'cores',
      limit: 1,
      advice: 'a cluster: Redis uses one core',
    },
    {
      what: 'Commands of Redis at the peak',
      needed: perSecond * figures.redisCommands,
      unit: 'a second',
      limit: null,
      advice: 'with those inside scripts',
    },
    {
      what: 'Connections of Redis',
      needed: (copies + 1) * figures.redisConnections,
      unit: 'connections',
      limit: REDIS_CONNECTIONS,
      advice: 'a larger maxclients',
    },
    {
      what: 'Memory of Redis',
      needed: (viewers * figures.redisBytes) / 2 ** 20,
      unit: 'MiB',
      limit: null,
      advice: 'set maxmemory above it, with the policy noeviction',
    },
    {
      what: 'Transactions of PostgreSQL at the peak',
      needed: perSecond * figures.postgresTransactions,
      unit: 'a second',
      limit: null,
      advice: 'each reads one row by its key',
    },
    {
      what: 'Connections of PostgreSQL',
      needed: (copies + 1) * POOL,
      unit: 'connections',
      limit: POSTGRES_CONNECTIONS,
      advice: 'a smaller POSTGRES_POOL_SIZE, a larger max_connections, or PgBouncer',
    },
    {
      what: 'Requests at the proxy',
      needed: perSecond * REQUESTS_OF_A_SIGN_IN + reloadsPerSecond * copies,
      unit: 'a second',
      limit: null,
      advice: 'waiting pages close their connections',
    },
    {
      what: 'Codes by mail, if viewers sign in with them',
      needed: (viewers / minutes) * 60,
      unit: 'an hour',
      limit: MAILS_PER_HOUR,
      advice: 'MAIL_CODES_PER_HOUR, and a mail server that takes as many',
    },
  ]
  const opening = { medianSeconds: quantile(entered, 0.5), lastSeconds: Math.max(0, entered.at(-1) ?? 0) }
  return { copies, needs, opening }
}

/** Returns what fails first with the defaults: the needs above their limits, the worst first. */
export function failures({ needs }: Plan): readonly Need[] {
  const share = ({ needed, limit }: Need) => needed / (limit ?? Number.POSITIVE_INFINITY)
  return needs.filter((need) => share(need) > 1).toSorted((a, b) => share(b) - share(a))
}

/** Formats a plan for people. */
export function planText(plan: Plan, { viewers, minutes }: PlannedEvent): string {
  const number = (value: number) => (value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en'))
  const lines = plan.needs.map(({ what, needed, unit, limit, advice }) => {
    const most = limit === null ? '' : `of ${number(limit)}`
    return `${what.padEnd(44)} ${`${number(needed)} ${unit}`.padEnd(22)} ${most.padEnd(10)} ${advice}`
  })
  const first = failures(plan).map(({ what }) => what)
  return [
    `${number(viewers)} viewers within ${minutes} minutes: ${plan.copies} copies, and one to spare`,
    ...lines,
    `After the opening, half of the viewers are in the player after ${number(plan.opening.medianSeconds)} s, and the last after ${number(plan.opening.lastSeconds)} s.`,
    first.length === 0
      ? 'Nothing is above its limit.'
      : `Above its limit, the first to fail first: ${first.join('; ')}.`,
  ].join('\n')
}
