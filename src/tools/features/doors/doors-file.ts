import { chmodSync, chownSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from '../../../errors.ts'
import causes from './write-faults.json' with { type: 'json' }

type Entry = Readonly<Record<string, unknown>>

const CAUSES: Readonly<Record<string, string>> = causes
const DO_BY_HAND = 'Nothing was changed. Change the times in the file yourself'

/**
 * Replaces times in the file of the doors at once, so that it is never half-written. Its owner and rights stay.
 * @param fields those that change. An undefined one is removed.
 * @throws ConfigError if the file cannot be replaced, or another program changes it.
 */
export function writeDoors(
  path: string,
  name: string,
  fields: Readonly<Record<string, string | object | undefined>>,
): void {
  explained(path, () => {
    const file = realpathSync(path)
    const text = readFileSync(file, 'utf8')
    replace(file, text, changedText(text, name, fields))
  })
}

/** The doors of an entry point that are moved for some time, and then put back. */
export type BorrowedDoors = ReturnType<typeof borrowDoors>

/** Borrows the doors of an entry point. Putting them back also restores the form of the file. */
export function borrowDoors(path: string, name: string) {
  const file = explained(path, () => realpathSync(path))
  const original = explained(path, () => readFileSync(file, 'utf8'))
  let written = original
  const { opensAt, closesAt, doorsWindows } = entryIn(original, name)
  return {
    /** The fields of the entry point before the first move, as JSON. */
    before: JSON.stringify({ opensAt, closesAt, doorsWindows }),
    move(opens: string, closes: string): void {
      const both = { opensAt: opens, closesAt: closes }
      writeDoors(path, name, doorsWindows === undefined ? both : { doorsWindows: [`${opens}/${closes}`] })
      written = readFileSync(file, 'utf8')
    },
    /** @returns false if the file is as before. @throws ConfigError if another program has changed the file since. */
    putBack(): boolean {
      if (written === original) return false
      explained(path, () => replace(file, written, original))
      written = original
      return true
    },
  }
}

function explained<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new ConfigError(`${path} cannot be replaced (${code}): ${CAUSES[code] ?? DO_BY_HAND}.`, { cause: error })
  }
}

function replace(file: string, before: string, text: string): void {
  const { mode, uid, gid } = statSync(file)
  const next = `${file}.next`
  writeFileSync(next, text, { flag: 'wx', mode: 0o600, flush: true })
  try {
    chownSync(next, uid, gid)
    chmodSync(next, mode & 0o777)
    if (readFileSync(file, 'utf8') !== before) {
      throw new ConfigError(
        `Another program changed ${file} at the same time. Nothing was changed. Run the command again.`,
      )
    }
    renameSync(next, file)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Returns the text with other values. Its form stays, if each value stands in it once. */
function changedText(text: string, name: string, fields: Readonly<Record<string, unknown>>): string {
  const entries = JSON.parse(text.replace(/^\ufeff/, '')) as readonly Entry[]
  const entry = entries.find((one) => one.name === name) ?? {}
  const expected = entries.map((one) => (one === entry ? { ...one, ...fields } : one))
  const inPlace = Object.entries(fields).reduce((changed, [field, value]) => {
    const olds = [entry[field]].flat()
    return [value].flat().reduce<string>((left, one, index) => {
      const old = JSON.stringify(olds[index]) ?? ''
      return old === '' ? left : left.replaceAll(old, JSON.stringify(one) ?? old)
    }, changed)
  }, text)
  const isRight = isDeepStrictEqual(JSON.parse(inPlace.replace(/^\ufeff/, '')), expected)
  return isRight ? inPlace : `${JSON.stringify(expected, null, 2)}\n`
}

function entryIn(text: string, name: string): Entry {
  const entries = JSON.parse(text.replace(/^\ufeff/, '')) as readonly Entry[]
  return entries.find((one) => one.name === name) ?? {}
}
