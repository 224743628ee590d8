import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { EntryPointOf } from '../../login/feature.ts'
import { sentenceOf } from '../../settings/fields.ts'
import { environmentName, settingSource } from '../../settings/setting.ts'
import { type DoorSettings, doorSettings, doorsFields } from './fields.ts'

/** The time between two reads. A change counts after two equal reads, so within about a second. */
const READ_EVERY_MS = 500
/** The file has a few kilobytes. */
const MOST_BYTES = 1_000_000
/** The text in place of that of a file that cannot be read. Not JSON. */
const UNREADABLE = 'unreadable: '

/** Called with the name of the entry point. */
export interface DoorEvents {
  readonly onChange: (entryPoint: string, doors: DoorSettings) => void
  /** Called once for each text of the file. The doors stay as they are. */
  readonly onFault: (entryPoint: string, fault: string) => void
}

/**
 * Reads the doors again from their file every half second. The reads are asynchronous: a file system that
 * hangs stops no request. Doors from the environment stay.
 */
export function watchDoors(
  entryPoints: readonly EntryPointOf<DoorSettings>[],
  events: DoorEvents,
  { everyMs = READ_EVERY_MS, read = readText } = {},
) {
  const known = new Map(entryPoints.map(({ entryPoint, settings }) => [entryPoint.name, settings]))
  /** The fields of each entry that the start has checked. */
  const fields = new Map<string, readonly string[]>()
  const timers = [...new Set(entryPoints.flatMap(({ settings }) => settings.file ?? []))].map((file) =>
    setInterval(readOnce(file), everyMs).unref(),
  )

  function readOnce(file: string): () => Promise<void> {
    let lastText: string | null = null
    let takenText: string | null = null
    let isReading = false
    return async () => {
      if (isReading) return
      isReading = true
      const text = await read(file).catch((error: NodeJS.ErrnoException) => UNREADABLE + error.code)
      isReading = false
      // Unless two reads in a row agree, the file is being written.
      if (text === lastText && text !== takenText) {
        takenText = text
        for (const [name, before] of known)
          if (before.file === file) take(name, before, readChecked(text, name, before))
      }
      lastText = text
    }
  }
  function readChecked(text: string, name: string, before: DoorSettings): DoorSettings | string {
    const entry = entryOf(text, name)
    if (typeof entry === 'string') return entry
    const checked = fields.get(name)
    const unknown = Object.keys(entry).find(
      (field) => checked && !checked.includes(field) && !(field in doorSettings()),
    )
    if (unknown !== undefined) return `${unknown} is new in the file: restart the app to take it`
    if (checked === undefined) fields.set(name, Object.keys(entry))
    return readDoors(entry, before)
  }
  function take(name: string, before: DoorSettings, now: DoorSettings | string): void {
    if (typeof now === 'string') events.onFault(name, now)
    else if (!isDeepStrictEqual(now, before)) {
      known.set(name, now)
      events.onChange(name, now)
    }
  }
  return {
    /** Returns the doors of an entry point as they are now. */
    doorsOf: (name: string, atStart: DoorSettings): DoorSettings => known.get(name) ?? atStart,
    close(): void {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Reads a file, but no pipe or device, and no large file. */
async function readText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = await handle.stat()
    if (!status.isFile() || status.size > MOST_BYTES)
      throw Object.assign(new Error(), { code: 'not a file of up to 1 MB' })
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/**
 * Reads the doors of an entry.
 * @returns a sentence for a fault. A file without times does not open a door: a misspelt name would.
 */
function readDoors(entry: Entry, before: DoorSettings): DoorSettings | string {
  const all = doorSettings()
  const faults: string[] = []
  const refuse = (field: string, message: string) => void faults.push(sentenceOf([field], message))
  const given = Object.fromEntries(Object.keys(all).map((field) => [environmentName(field), textOf(entry[field])]))
  const source = settingSource(all, refuse, { given, nameOf: (field) => field, warn() {} })
  const { lifetimeSeconds, file } = before
  const doors = doorsFields.read(source.read(all), { ...source, lifetimeSeconds, ...(file !== null && { file }) })
  return faults.length > 0 ? faults.join('; ') : (doors ?? 'the file names no time: restart the app to open the doors')
}

type Entry = Readonly<Record<string, unknown>>

function entryOf(text: string, name: string): Entry | string {
  let entries: unknown
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return text.startsWith(UNREADABLE) ? `the file is ${text}` : 'the file is not JSON'
  }
  const all: readonly unknown[] = Array.isArray(entries) ? entries : []
  const isNamed = (item: unknown): item is Entry =>
    typeof item === 'object' && item !== null && 'name' in item && item.name === name
  return all.find(isNamed) ?? 'the file has no such entry point'
}

/** Returns the text that the environment would have. No setting accepts the text of another value. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  return Array.isArray(value) ? value.map(String).join(',') : ' '
}
