import type { Command } from 'commander'
import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { type EntryPoints, entryPointsIn } from '../../settings/chosen-entry-point.ts'
import { type EventTimes, eventTimesOf, type HasEventTimes } from '../../settings/event-times.ts'
import type { CommandContext } from '../../terminal/command.ts'
import { isoTime, printableJson, printableParagraphs } from '../../terminal/text.ts'
import { openClock, type PlaysUntil, playsUntil } from './plays-until.ts'

/** Commands that put viewers out. */
const COMMANDS = ['disable', 'remove', 'end']
/** How to be faster. */
const CURES = [
  'To be faster next time, lower HASH_LIFETIME_SECONDS before the event.',
  'A new secret refuses every older response at the next check of the service: lock set --rotate.',
]
const UNKNOWN =
  'Not known here until when an open player plays on: the settings of the entry points are not complete. A response ' +
  'lives for HASH_LIFETIME_SECONDS.'

/** Adds a sentence to the commands that put viewers out: until when they can still watch, and how to be faster. */
export async function addPutOutNotes(group: Command, context: CommandContext<HasEventTimes>): Promise<void> {
  const events = await eventTimesOf(context.features)
  for (const command of group.commands.filter((one) => COMMANDS.includes(one.name()))) {
    command.hook('postAction', (ran) => {
      if (context.status === 0) printNote(context, events, ran.opts<{ json?: boolean }>().json)
    })
  }
}

function printNote(
  { io: { env, stderr } }: CommandContext,
  events: readonly EventTimes[],
  json: boolean | undefined,
): void {
  const nowSeconds = Date.now() / 1000
  const entryPoints = entryPointsIn(env)
  const until = entryPoints && playsUntil(entryPoints, nowSeconds, nowSeconds, events)
  const text = entryPoints === null || until === null ? UNKNOWN : noteOf(entryPoints, nowSeconds, events)
  const isEndless = until?.seconds === Number.POSITIVE_INFINITY
  const playsUntilTime = until === null || isEndless ? null : isoTime(until.seconds)
  const data = { playsUntil: playsUntilTime, isEndless, isKnown: until !== null, note: text }
  stderr.write(`${json ? printableJson(data) : printableParagraphs(text, stderr)}\n`)
}

/** Returns the sentences about a viewer who may have used any of these entry points. */
export function noteOf(entryPoints: EntryPoints, nowSeconds: number, events: readonly EventTimes[]): string {
  const ofResponse = playsUntil(entryPoints.filter(isHashEntryPoint), nowSeconds, nowSeconds, events)
  const tokens = entryPoints.filter((entryPoint) => !isHashEntryPoint(entryPoint)).map(({ name }) => name)
  const where = ofResponse === null ? '' : ` that got a token, at entry point ${tokens.join(' or ')},`
  const ofToken = `An open player${where} plays on until it is reloaded: its token is read only once.`
  const parts = ofResponse === null ? [] : responseNote(ofResponse, entryPoints.length > 1, nowSeconds)
  return (tokens.length === 0 ? parts : [...parts.slice(0, 1), ofToken, ...parts.slice(1)]).join(' ')
}

/** @param isOneOfSeveral true to name the entry point. @returns the sentence, then how to be faster. */
function responseNote({ seconds, entryPoint }: PlaysUntil, isOneOfSeveral: boolean, nowSeconds: number): string[] {
  const at = isOneOfSeveral ? ` at entry point ${entryPoint}` : ''
  if (Number.isFinite(seconds)) {
    // The whole minute.
    const time = openClock(nowSeconds)(Math.ceil(seconds / 60) * 60)
    return [`An open player plays on${at} until ${time} at the latest, when its response expires.`, ...CURES]
  }
  const cures = ['Set HASH_LIFETIME_SECONDS.', ...CURES.slice(1)]
  return [`An open player plays on${at} for ever: its response never expires.`, ...cures]
}
