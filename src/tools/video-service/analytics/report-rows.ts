import { z } from 'zod'
import type { Question } from './report-question.ts'

/** The number of rows with a field that was missing or odd, by the words for it ("device_info is missing"), and of MOVED. */
export type OddFields = Map<string, number>

/** `content_id` is a string in the documented example of a view and an integer in a segment. It is read as a string. */
const CONTENT = { content_type: z.enum(['live', 'recorded']), content_id: z.coerce.string() }
/** `point` is a time, or newer the group: "HU" of `country`. It is a text, a number or an array of them. */
const Point = z.union([z.string(), z.number()])
const SeriesRecord = z.object({
  dimension_type: z.string(),
  point: z.union([Point, z.array(Point)]).transform((point) => [point].flat().join(', ')),
  value: z.number(),
})
const PeakRecord = z.object({ ...CONTENT, time: z.string(), value: z.number() })

export type ViewerRow = z.output<ReturnType<typeof viewSchemas>['ViewerRecord']>
export type ViewRow = z.output<ReturnType<typeof viewSchemas>['ViewRecord']>
export type SeriesRow = z.output<typeof SeriesRecord>
export type PeakRow = z.output<typeof PeakRecord>
/** The row type of a report. */
export type RowOf<Q extends Question> = Q extends { report: 'viewers' }
  ? ViewerRow
  : Q extends { report: 'views' }
    ? ViewRow
    : Q extends { report: 'peak-viewer-numbers' }
      ? PeakRow
      : SeriesRow

/**
 * For each report: the `type` of its items, and the schema of their `attributes`. A view needs its content and its start.
 * Each other field of a view may be missing or odd: then it is null, and is counted.
 */
export function recordsOf(odd: OddFields) {
  const { ViewerRecord, ViewRecord } = viewSchemas(odd)
  return {
    viewers: ['Viewer', ViewerRecord],
    views: ['View', ViewRecord],
    'total-views': ['Series', SeriesRecord],
    'unique-devices': ['Series', SeriesRecord],
    'authenticated-viewers': ['Series', SeriesRecord],
    'peak-viewer-numbers': ['PeakSeries', PeakRecord],
  } as const
}

function viewSchemas(odd: OddFields) {
  const nullOr = (name: string) => (ctx: { value: unknown }) => {
    const words = ctx.value === undefined ? `${name} is missing` : `${name} is not of the documented type`
    odd.set(words, (odd.get(words) ?? 0) + 1)
    return null
  }
  /** Keeps a number in place of a text. */
  const textOr = (name: string) => (ctx: { value: unknown }) =>
    nullOr(name)(ctx) ?? (typeof ctx.value === 'number' ? String(ctx.value) : null)
  const text = (name: string) => z.string().nullable().catch(textOr(name))
  const maybeText = (name: string) => z.string().nullish().catch(textOr(name))
  const version = (name: string) => ({
    family: text(`${name}.family`),
    major: maybeText(`${name}.major`),
    minor: maybeText(`${name}.minor`),
    patch: maybeText(`${name}.patch`),
  })
  const system = { ...version('os'), patch_minor: maybeText('os.patch_minor') }
  const device = {
    family: text('device.family'),
    brand: maybeText('device.brand'),
    model: maybeText('device.model'),
  }
  const fields = {
    ...CONTENT,
    started_at: z.string(),
    /** Null or absent while the segment is being watched. */
    finished_at: maybeText('finished_at'),
    from: z.number().nullish().catch(nullOr('from')),
    to: z.number().nullish().catch(nullOr('to')),
    client_id: text('client_id'),
    view_session_id: text('view_session_id'),
    country: maybeText('country'),
    city: maybeText('city'),
    is_mobile_view: z.boolean().nullable().catch(nullOr('is_mobile_view')),
    view_type: text('view_type'),
    device_info: z
      .object({ browser: z.object(version('browser')), os: z.object(system), device: z.object(device) })
      .nullable()
      .catch(nullOr('device_info')),
  }
  return {
    ViewerRecord: z.object({
      viewer_identifier: z.string(),
      last_activity: z.string(),
      videos_watched: z.number().nullable().catch(nullOr('videos_watched')),
      segments: z.array(z.object({ id: z.string(), ...fields })),
    }),
    ViewRecord: z.object({ view_id: z.string(), viewer_identifier: maybeText('viewer_identifier'), ...fields }),
  }
}
