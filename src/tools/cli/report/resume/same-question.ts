import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { rowsPerPage } from '../../../video-service/analytics/analytics.ts'
import { Cursor } from '../../../video-service/analytics/moving-list.ts'
import type { Question } from '../../../video-service/analytics/report-question.ts'
import type { ServiceSettings } from '../../../video-service/service-settings.ts'
import type { PeriodOptions } from '../../output/period.ts'
import traits from './traits.json' with { type: 'json' }

/** All that decides on the bytes of a report. */
export interface Asked {
  readonly question: Question
  /** The options of the period as typed. */
  readonly typed: PeriodOptions
  readonly format: string
  readonly isForExcel: boolean
  readonly timeZone: string
  readonly settings: Pick<ServiceSettings, 'analyticsUrl' | 'clientId'>
}

const Period = z.object({ from: z.string().optional(), to: z.string().optional() })

/** A question as it is kept. */
const Identity = z.object({
  traits: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** The options of the period as typed, and its times. */
  typed: Period.extend({ last: z.string().optional() }),
  period: Period,
})
type Identity = z.output<typeof Identity>

const Count = z.int().min(0)
/** The state that a cut report keeps beside its rows: the question, the number of rows so far, and the next page. */
export const KeptState = Identity.extend({
  rows: Count,
  /** Null after the last page. */
  next: z.object({ pages: Count, piece: Count, cursor: Cursor.nullable(), sum: z.number() }).nullable(),
  odd: z.array(z.tuple([z.string(), Count])),
})
export type KeptState = z.output<typeof KeptState>

const WORDS: Readonly<Record<string, string>> = traits

export function identityOf(asked: Asked): Identity {
  const { question, typed, format, isForExcel, timeZone, settings } = asked
  const { period, ...filters } = question
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const { last, from, to } = typed
  return {
    traits: {
      service: settings.analyticsUrl,
      client: settings.clientId,
      format,
      excel: isForExcel,
      timeZone,
      rowsPerPage: rowsPerPage(question),
      ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    },
    typed: { ...(last && { last }), ...(from && { from }), ...(to && { to }) },
    period: { ...period },
  }
}

/**
 * Returns words for what differs between an interrupted report and this question. A period is the same if it has the
 * same times, or was typed in the same way.
 */
export function differences(kept: Identity, asked: Asked): string[] {
  const { traits, typed, period } = identityOf(asked)
  const names = Object.keys({ ...kept.traits, ...traits }).filter((name) => kept.traits[name] !== traits[name])
  const isSamePeriod = isDeepStrictEqual(kept.typed, typed) || isDeepStrictEqual(kept.period, period)
  return [...names.map((name) => WORDS[name] ?? name), ...(isSamePeriod ? [] : ['the period'])]
}

/** Returns the question with the period of an interrupted report. */
export function withPeriodOf({ period: { from, to } }: Identity, question: Question): Question {
  if (question.report === 'viewers') {
    const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return { ...question, period: from === undefined && to === undefined ? undefined : period }
  }
  return from === undefined || to === undefined ? question : { ...question, period: { from, to } }
}
