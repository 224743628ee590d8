import type { ContentType } from './segment-writer.ts'

/** The segments that a report reads. Null means no limit. The range includes both ends. */
export interface Selection {
  readonly ownerId: number
  readonly contentType: ContentType | null
  readonly contentIds: readonly number[] | null
  readonly fromSeconds: number | null
  readonly toSeconds: number | null
  readonly finishedOnly: boolean
}

export interface SelectionSql {
  /** Conditions on the columns of `segments`, for a WHERE clause. */
  readonly where: string
  readonly parameters: Readonly<Record<string, string | number>>
}

/**
 * Selects by the default range rule of the analytics document: segments that started in the range, finished or not, and
 * segments that started before the range and finished in it.
 */
export function selectSegments(selection: Selection): SelectionSql {
  const { fromSeconds, toSeconds } = selection
  const sql = contentConditions(selection)
  if (toSeconds !== null) sql.push(['started_at <= :to', { to: toSeconds }])
  if (fromSeconds !== null) {
    const endedInside = toSeconds === null ? 'finished_at >= :from' : 'finished_at BETWEEN :from AND :to'
    sql.push([`(started_at >= :from OR ${endedInside})`, { from: fromSeconds }])
  }
  return conjunction(sql)
}

/** Selects segments that started and finished in the range. Unfinished segments are left out. */
export function selectSegmentsInside(selection: Selection): SelectionSql {
  return conjunction([
    ...contentConditions(selection),
    ['started_at BETWEEN :from AND :to', { from: selection.fromSeconds ?? 0, to: selection.toSeconds ?? 0 }],
    ['finished_at <= :to', {}],
  ])
}

/** Selects segments that ran at any moment from the start of the range up to, not including, its end. */
export function selectSegmentsRunning(selection: Selection): SelectionSql {
  return conjunction([
    ...contentConditions(selection),
    ['started_at < :to', { to: selection.toSeconds ?? 0 }],
    ['(finished_at > :from OR finished_at IS NULL)', { from: selection.fromSeconds ?? 0 }],
  ])
}

type Condition = readonly [sql: string, parameters: Record<string, string | number>]

function contentConditions({ ownerId, contentType, contentIds, finishedOnly }: Selection): Condition[] {
  const conditions: Condition[] = [['owner_id = :owner', { owner: ownerId }]]
  if (contentType !== null) conditions.push(['content_type = :contentType', { contentType }])
  if (contentIds !== null) {
    conditions.push([
      'content_id IN (SELECT value FROM json_each(:contentIds))',
      { contentIds: JSON.stringify(contentIds) },
    ])
  }
  if (finishedOnly) conditions.push(['finished_at IS NOT NULL', {}])
  return conditions
}

function conjunction(conditions: readonly Condition[]): SelectionSql {
  return {
    where: conditions.map(([sql]) => sql).join(' AND '),
    parameters: Object.assign({}, ...conditions.map(([, parameters]) => parameters)),
  }
}
