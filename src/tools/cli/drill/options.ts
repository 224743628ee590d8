import { InvalidArgumentError } from 'commander'
import { duration, wholeNumber } from '../terminal/option-values.ts'
import type { PlannedCommand } from './operator-commands.ts'

/** Each viewer has a connection. */
export const MOST_VIEWERS = 20_000

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
