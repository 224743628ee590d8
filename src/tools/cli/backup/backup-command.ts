import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { readSharedStores, readUserStore } from '../../../config.ts'
import { addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import { assertUnused, assertWhole, copyDatabase } from './copy-database.ts'

/** A store of a feature, whose file `backup` copies. */
export interface BackedUpStore {
  /** The name of the setting with its address. */
  readonly setting: string
  /** The name in the folder of a backup, without its end. */
  readonly name: string
  /** Reads the setting. @throws ConfigError for a wrong address. */
  read(env: CommandIo['env']): { readonly kind: string }
}

/** The part of a feature that `backup` and `restore` use. */
interface HasBackup {
  readonly backup?: Lazy<BackedUpStore>
}

interface DataFile {
  readonly setting: string
  /** The name in the folder of a backup. */
  readonly name: string
  /** Null if the store is not a file of this machine. */
  readonly path: string | null
}

const ABOUT_BACKUP = `
Copies the viewers, guests, sessions and failed sign-ins that are in SQLite files, while the app runs. FOLDER must not exist. Only
you can read it. It holds hashes of passwords: keep it as safe as the files themselves. Other stores have tools of their own.`
const ABOUT_RESTORE = `
Replaces the files of the settings by those of a backup. Stop the app first. The replaced files stay beside the new ones,
as NAME.replaced-TIME. Sessions and failed sign-ins of the backup come back too; --viewers-only leaves those as they are.`

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
  readonly viewersOnly?: boolean
}

/** Adds `backup`. */
export function addBackupCommand(command: Command, context: CommandContext<HasBackup>): void {
  addNotes(command.argument('<FOLDER>', 'a new folder'), ABOUT_BACKUP).action((folder: string, { json }: Options) =>
    runCommand(context, json, () => backUp(context, folder)),
  )
}

/** Adds `restore`. */
export function addRestoreCommand(command: Command, context: CommandContext<HasBackup>): void {
  addNotes(command.argument('<FOLDER>', 'the folder of a backup'), ABOUT_RESTORE)
    .option('--viewers-only', 'leave sessions and failed sign-ins as they are')
    .option('--yes', 'do not ask')
    .action((folder: string, options: Options) =>
      runCommand(context, options.json, () => restore(context, folder, options)),
    )
}

async function backUp(context: CommandContext<HasBackup>, folder: string): Promise<Outcome> {
  const files = await dataFiles(context)
  const copied = files.filter((file) => file.path !== null && existsSync(file.path))
  if (copied.length === 0) return { ok: false, fault: 'There is no SQLite file to copy. Check the settings.' }
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { ok: false, fault: `The folder ${folder} cannot be created (${code}). Nothing was overwritten.` }
  }
  try {
    // A umask may have taken rights from the folder, but never adds any.
    chmodSync(folder, 0o700)
    for (const { path, name } of copied) await copyDatabase(path ?? '', join(folder, name))
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const left = files.filter(({ path }) => path === null).map(({ setting }) => setting)
  const lines = copied.map(({ path, name }) => `${path} is in ${join(folder, name)}.`)
  const others = left.map((setting) => `${setting} is not a file: back it up with the tools of its server.`)
  const data = { folder, files: copied.map(({ name }) => name), notCopied: left }
  return { ok: true, text: [...lines, ...others].join('\n'), data }
}

async function restore(
  context: CommandContext<HasBackup>,
  folder: string,
  { yes, viewersOnly }: Options,
): Promise<Outcome> {
  const files = (await dataFiles(context))
    .filter(({ setting }) => !viewersOnly || setting === 'USER_STORE_URL')
    .flatMap(({ path, name }) =>
      path !== null && existsSync(join(folder, name)) ? [{ path, from: join(folder, name) }] : [],
    )
  if (files.length === 0) return { ok: false, fault: `${folder} has no file that the settings use. Check both.` }
  for (const { path, from } of files) {
    assertWhole(from)
    if (existsSync(path)) assertUnused(path)
  }
  const question = `Replace ${files.map(({ path }) => path).join(', ')} by the backup?`
  const confirmation = await confirmRemoval(context.io, yes, question)
  if (!confirmation.ok) return confirmation
  const aside = `.replaced-${Date.now()}`
  const replaced: string[] = []
  for (const { path, from } of files) {
    if (existsSync(path)) replaced.push(path)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const restored = `${path}.restored`
    rmSync(restored, { force: true })
    await copyDatabase(from, restored)
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, path + aside + suffix)
    }
    renameSync(restored, path)
  }
  const lines = files.map(({ path, from }) => {
    const old = replaced.includes(path) ? ` The old file is ${path}${aside}.` : ''
    return `${path} is restored from ${from}.${old}`
  })
  return { ok: true, text: lines.join('\n'), data: { restored: files.map(({ path }) => path), aside } }
}

async function dataFiles({ io: { env }, features }: CommandContext<HasBackup>): Promise<DataFile[]> {
  const ofFeatures = await loadAll(features.map(({ backup }) => backup))
  const { sessionStore, limitsStore } = readSharedStores(env)
  const stores = [
    { setting: 'USER_STORE_URL', name: 'viewers', settings: readUserStore(env) },
    { setting: 'SESSION_STORE_URL', name: 'sessions', settings: sessionStore },
    { setting: 'LIMITS_STORE_URL', name: 'limits', settings: limitsStore },
    ...ofFeatures.map(({ setting, name, read }) => ({ setting, name, settings: read(env) })),
  ]
  return stores
    .filter(({ settings }) => settings.kind !== 'memory')
    .map(({ settings, setting, name }) => {
      const path = 'file' in settings && typeof settings.file === 'string' ? settings.file : null
      return { setting, name: `${name}.db`, path }
    })
}
