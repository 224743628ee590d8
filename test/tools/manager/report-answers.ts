import type { AttendanceRow } from '../../../src/tools/cli/report/attendance/attendance-rows.ts'

/** A service without channels. */
export const NO_CHANNELS = { channels: () => Promise.resolve({ ok: true, data: [] } as const) }

/** A viewer who was invited and came. */
export const ATTENDANCE_ROW: AttendanceRow = {
  viewer: 'ada',
  kind: 'invited',
  status: 'came',
  first_in: null,
  last_out: null,
  live_minutes: 1,
  recorded_minutes: 0,
  minutes: 1,
  is_running: false,
  groups: [],
  service_names: ['ada'],
  match: 'exact',
  possible_names: [],
  client_id: null,
}
