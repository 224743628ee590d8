import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'

/**
 * - `ok`: seen to work.
 * - `warning`: viewers get through, but something will trouble viewers or operators.
 * - `unknown`: cannot be seen from here, and may stop viewers.
 * - `failure`: stops viewers or some of them, harms them, or keeps the doctor from looking.
 */
export type Level = 'ok' | 'warning' | 'unknown' | 'failure'

/** The result of one check. */
export interface Finding {
  readonly state: Level
  /** The cause, for programs, such as `lock-secret-differs`. */
  readonly code: string
  /** Says what was seen, then what to do. */
  readonly text: string
  /** Must hold, and cannot be seen from here: "if the lock has not been changed since 08:30, 2 minutes ago". */
  readonly condition?: string
  /** The name of the entry point. Only if the settings have several. */
  readonly entryPoint?: string
}

/** Called with each finding as soon as it is known. */
export type Report = (finding: Finding) => void

/** Ends the text of a finding: the answer of the app differs from the settings of this command. */
export const PROXY_OR_SETTINGS =
  'A proxy changes it, or the app runs with other settings. Correct the proxy, or restart the app.'

export function ok(code: string, text: string): Finding {
  return { state: 'ok', code, text }
}
export function warning(code: string, text: string): Finding {
  return { state: 'warning', code, text }
}
export function unknown(code: string, text: string): Finding {
  return { state: 'unknown', code, text }
}
export function failure(code: string, text: string): Finding {
  return { state: 'failure', code, text }
}

/** Adds the name of the entry point to a finding, if the settings have several. */
export function findingOf(
  { entryPoints }: Pick<Config, 'entryPoints'>,
  { name }: Pick<EntryPoint, 'name'>,
  finding: Finding,
): Finding {
  return entryPoints.length > 1 ? { ...finding, entryPoint: name } : finding
}
