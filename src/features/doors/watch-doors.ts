import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type WatchOptions, watchFiles } from '../../files/watched-files.ts'
import type { EntryPointOf } from '../../login/feature.ts'
import { sentenceOf } from '../../settings/fields.ts'
import { environmentName, metaOf, settingSource } from '../../settings/setting.ts'
import { type DoorSettings, doorSettings, doorsFields } from './fields.ts'

/** The time between two looks at the file. A change counts after two equal reads, so within about a second. */
const READ_EVERY_MS = 500
/** The file has a few kilobytes. */
const MOST_BYTES = 1_000_000

/** Called with the name of the entry point. */
export interface DoorEvents {
  readonly onChange: (entryPoint: string, doors: DoorSettings) => void
  /** Called once for each text of the file. The doors stay as they are. */
  readonly onFault: (entryPoint: string, fault: string) => void
}

/**
 * Watches the doors in their file. Doors from the environment stay. A list that has lost more than half of its
 * entry points waits.
 */
export function watchDoors(
  entryPoints: readonly EntryPointOf<DoorSettings>[],
  events: DoorEvents,
  { everyMs = READ_EVERY_MS, ...options }: Partial<Pick<WatchOptions<unknown>, 'everyMs' | 'read' | 'standMs'>> = {},
) {
  const known = new Map(entryPoints.map(({ entryPoint, settings }) => [entryPoint.name, settings]))
  /** The fields of each entry that the start has checked. */
  const fields = new Map<string, readonly string[]>()
  const files = [...new Set(entryPoints.flatMap(({ settings }) => settings.file ?? []))]
  const watched = files.map((file) => {
    const own = () => [...known].filter(([, { file: from }]) => from === file)
    return watchFiles<readonly Entry[]>(
      [file],
      own().map(([name]) => ({ name })),
      {
        ...options,
        everyMs,
        mostBytes: MOST_BYTES,
        parse: ([content]) => entriesOf((content ?? '').toString()),
        itemsOf: (entries) => entries.map(({ name }) => String(name)),
        onChange(entries) {
          for (const [name, before] of own()) take(name, before, readChecked(entries, name, before))
        },
        onFault(fault) {
          for (const [name] of own()) events.onFault(name, `the file ${fault}`)
        },
      },
    )
  })
  function readChecked(entries: readonly Entry[], name: string, before: DoorSettings): DoorSettings | string {
    const entry = entries.find((one) => one.name === name)
    if (entry === undefined) return 'the file has no such entry point'
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
      for (const { close } of watched) close()
    },
  }
}

/**
 * Reads the doors of an entry.
 * @returns a sentence for a fault. A file without times does not open a door: a misspelled name would.
 */
function readDoors(entry: Entry, before: DoorSettings): DoorSettings | string {
  const all = doorSettings()
  const faults: string[] = []
  const refuse = (field: string, message: string) => void faults.push(sentenceOf([field], message))
  const given = Object.fromEntries(
    Object.entries(all).map(([field, schema]) => [environmentName(field), textOf(entry[field], schema)]),
  )
  const source = settingSource(all, refuse, { given, nameOf: (field) => field, warn() {} })
  const { lifetimeSeconds, file } = before
  const doors = doorsFields.read(source.read(all), { ...source, lifetimeSeconds, ...(file !== null && { file }) })
  return faults.length > 0 ? faults.join('; ') : (doors ?? 'the file names no time: restart the app to open the doors')
}

type Entry = Readonly<Record<string, unknown>>

/** @throws Error for a text that is not a list of entry points. */
function entriesOf(text: string): readonly Entry[] {
  let entries: unknown
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new Error('is not JSON')
  }
  const all: readonly unknown[] = Array.isArray(entries) ? entries : []
  return all.filter((item): item is Entry => typeof item === 'object' && item !== null && 'name' in item)
}

/** Returns the text that the environment would have. No setting accepts the text of another value. */
function textOf(value: unknown, schema: z.ZodType): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(String).join(',')
  const json = JSON.stringify(value)
  return metaOf(schema).inFile === 'object' && json.startsWith('{') ? json : ' '
}
