import { InvalidArgumentError } from 'commander'
import { wholeNumber } from '../terminal/option-values.ts'
import type { PlannedCommand } from './operator-commands.ts'

/** Each viewer has a connection. */
export const MOST_VIEWERS = 20_000
const LONGEST_MS = 86_400_000
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }

/** Reads a duration such as 90s, 1.5m or 1m30s into milliseconds. */
export function duration(text: string): number {
  const parts = /^(\d{1,5}(\.\d)?[hms]){1,3}$/.test(text) ? (text.match(/[\d.]+[hms]/g) ?? []) : []
  const ms = parts.reduce((sum, part) => sum + Number.parseFloat(part) * (UNIT_MS[part.slice(-1)] ?? 0), 0)
  if (ms === 0 || ms > LONGEST_MS) throw new InvalidArgumentError('Use a duration such as 90s, 10m or 1h, up to 24h.')
  return ms
}

/** Reads 10 or 10% into 0.1. */
export function percent(text: string): number {
  const [, number] = /^(\d{1,3})\s*%?$/.exec(text) ?? []
  if (number === undefined || Number(number) > 100) throw new InvalidArgumentError('Use a percentage from 0 to 100.')
  return Number(number) / 100
}

export const viewerCount = wholeNumber(1, MOST_VIEWERS)

/** Returns a parser that collects repeated TIME=COMMAND. */
export function plannedCommand(isOutage: boolean) {
  return (text: string, earlier: readonly PlannedCommand[] = []): PlannedCommand[] => {
    const [, time = '', command = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    if (command.trim() === '')
      throw new InvalidArgumentError("Use TIME=COMMAND, such as '2m=docker compose stop proxy'.")
    return [...earlier, { atMs: duration(time), command: command.trim(), isOutage }]
  }
}

/** Reads the beginning of the names of made-up viewers. Refuses any other, which could be the name of a person. */
export function madeUpPrefix(text: string): string {
  if (/^drill-[0-9a-f]{8}-$/.test(text)) return text
  throw new InvalidArgumentError('Use the beginning of the names that the drill printed, such as drill-0a1b2c3d-.')
}
