import type { Command } from 'commander'
import { ConfigError } from '../../../errors.ts'

/** The options of addPeriodOptions(), as typed. */
export interface PeriodOptions {
  readonly last?: string
  readonly from?: string
  readonly to?: string
}

/** Adds the options that choose a period. */
export function addPeriodOptions(command: Command): Command {
  return command
    .option('--last <PERIOD>', 'minutes, hours, days or weeks before --to: 15m, 24h, 7d, 4w')
    .option('--from <TIME>', 'start of the period: 2026-11-20, 2026-11-20T18:00, 2026-11-20T18:00:00+01:00')
    .option('--to <TIME>', 'last second of the period (default: now)')
}

/** Reads options. An unreadable period ends the command as wrong usage, like any other unreadable option. */
export function orUsageError<T>(command: Command, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) command.error(`error: ${error.message}`)
    throw error
  }
}
