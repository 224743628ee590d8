import { z } from 'zod'
import type { Question } from './report-question.ts'

const NullableText = z.string().nullable().optional()
const DeviceInfo = z.object({
  browser: z.object({ family: z.string(), major: NullableText, minor: NullableText, patch: NullableText }),
  os: z.object({
    family: z.string(),
    major: NullableText,
    minor: NullableText,
    patch: NullableText,
    patch_minor: NullableText,
  }),
  device: z.object({ family: z.string(), brand: NullableText, model: NullableText }),
})
/** `content_id` is a string in the documented example of a view and an integer in a segment. It is read as a string. */
const SegmentFields = {
  content_type: z.enum(['live', 'recorded']),
  content_id: z.coerce.string(),
  started_at: z.string(),
  /** Null or absent while the segment is being watched. */
  finished_at: z.string().nullable().optional(),
  from: z.number().nullable().optional(),
  to: z.number().nullable().optional(),
  client_id: z.string(),
  view_session_id: z.string(),
  country: z.string().nullable().optional(),
  city: z.string().nullable().optional(),
  is_mobile_view: z.boolean(),
  view_type: z.string(),
  device_info: DeviceInfo,
}
const Segment = z.object({ id: z.string(), ...SegmentFields })
const ViewRecord = z.object({
  view_id: z.string(),
  viewer_identifier: z.string().nullable().optional(),
  ...SegmentFields,
})
const ViewerRecord = z.object({
  viewer_identifier: z.string(),
  last_activity: z.string(),
  videos_watched: z.number(),
  segments: z.array(Segment),
})
const SeriesRecord = z.object({ dimension_type: z.string(), point: z.string(), value: z.number() })
const PeakRecord = z.object({
  content_type: z.enum(['live', 'recorded']),
  content_id: z.coerce.string(),
  time: z.string(),
  value: z.number(),
})

export type ViewerRow = z.output<typeof ViewerRecord>
export type ViewRow = z.output<typeof ViewRecord>
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

/** For each report: the `type` of its items, and the schema of their `attributes`. */
export const RECORDS = {
  viewers: ['Viewer', ViewerRecord],
  views: ['View', ViewRecord],
  'total-views': ['Series', SeriesRecord],
  'unique-devices': ['Series', SeriesRecord],
  'authenticated-viewers': ['Series', SeriesRecord],
  'peak-viewer-numbers': ['PeakSeries', PeakRecord],
} as const
