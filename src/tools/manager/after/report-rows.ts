import { z } from 'zod'

const Text = z.string().nullable().default(null)

/** The rows of `report attendance --json`. */
export const AttendanceRows = z.array(
  z.looseObject({
    viewer: Text,
    kind: z.string(),
    status: z.string(),
    first_in: Text,
    last_out: Text,
    minutes: z.number(),
    groups: z.array(z.string()).nullable().default(null),
  }),
)
export const ATTENDANCE_COLUMNS = ['viewer', 'kind', 'status', 'first_in', 'last_out', 'minutes', 'groups'] as const

/** The rows of `report views --json`. */
export const ViewRows = z.array(
  z.looseObject({
    viewer_identifier: Text,
    started_at: Text,
    finished_at: Text,
    country: Text,
    city: Text,
    is_mobile_view: z.boolean().nullable().default(null),
  }),
)
/** Columns of times, which are ISO 8601 with an offset. */
export const TIME_COLUMNS: readonly string[] = ['first_in', 'last_out', 'started_at', 'finished_at']
export const VIEW_COLUMNS = [
  'viewer_identifier',
  'started_at',
  'finished_at',
  'country',
  'city',
  'is_mobile_view',
] as const
