import { type Command, InvalidArgumentError } from 'commander'
import { type Lock, type LockTarget, readLock } from '../../video-service/locks.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { isRefusal } from './service.ts'

export interface TargetOptions {
  readonly channel?: string
  readonly video?: string
}
export interface TargetsOptions {
  readonly channel?: readonly string[]
  readonly video?: readonly string[]
  readonly rotate?: boolean
}

export function nameOf({ kind, id }: LockTarget): string {
  return `${kind} ${id}`
}

/**
 * Reads the lock before a change. Null also for an unknown channel, because the error is the same. Setting the lock
 * tells which it is.
 */
export async function ownLock(api: RestApi, target: LockTarget, signal?: AbortSignal): Promise<Lock | null> {
  try {
    return await readLock(api, target, signal)
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
  }
}

/** The warning for a change whose answer was lost. Without a full stop at the end. */
export function unknownOutcome(target: LockTarget): string {
  return `The lock of ${nameOf(target)} may have been changed. Check with lock show`
}

/** @returns the target of `--channel` or `--video`. Anything else ends the command as wrong usage. */
export function targetOf({ channel, video }: TargetOptions, command: Command): LockTarget {
  if (channel !== undefined && video === undefined) return { kind: 'channel', id: channel }
  if (video !== undefined && channel === undefined) return { kind: 'video', id: video }
  return command.error('error: give either --channel ID or --video ID')
}

/** Returns the targets to lock: one, or several with `--rotate`. */
export function targetsOf({ channel = [], video = [], rotate: isRotation }: TargetsOptions, command: Command): Targets {
  const [first, ...others] = [
    ...channel.map((id): LockTarget => ({ kind: 'channel', id })),
    ...video.map((id): LockTarget => ({ kind: 'video', id })),
  ]
  if (first === undefined) {
    const choice = isRotation ? '--channel ID and --video ID, as often as needed' : 'either --channel ID or --video ID'
    return command.error(`error: give ${choice}`)
  }
  if (others.length > 0 && !isRotation) {
    return command.error('error: give one id only, and run the command once for each')
  }
  return [first, ...others]
}

type Targets = readonly [LockTarget, ...LockTarget[]]

/** Parses the next id of a repeatable option. @throws as contentId. */
export function contentIds(text: string, previous: readonly string[] = []): readonly string[] {
  return [...new Set([...previous, contentId(text, undefined)])]
}

/**
 * Parses the id of a channel or video.
 * @throws InvalidArgumentError if the text is not a whole number, or the option is given twice.
 */
export function contentId(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Give one id only, and run the command once for each.')
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An id is a whole number.')
  return text
}
