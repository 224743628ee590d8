import { type Command, Option } from 'commander'
import { readContextWords } from '../../../config.ts'
import { cleanName } from '../../../typed-text.ts'
import { hashPassword } from '../../../users/passwords/argon2.ts'
import { faultInNewPassword } from '../../../users/passwords/new-password.ts'
import { faultInUsername } from '../../../users/viewer-fields.ts'
import { readManagerPart } from '../settings/manager/settings.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import type { CommandIo } from '../terminal/io.ts'
import { collect } from '../terminal/option-values.ts'
import { readNewPassword } from '../terminal/read-password.ts'
import { textTable } from '../terminal/table.ts'
import { printable } from '../terminal/text.ts'
import { type ManagerStore, openManagerStore, ROLES, type Role } from './accounts/manager-store.ts'

interface Options {
  readonly json?: boolean
  readonly role?: Role
  readonly entryPoint?: string[]
  readonly yes?: boolean
}

const NEXT = 'The next sign-in sets up the second step, with an authenticator app.'
const unknown = (name: string): Outcome => ({ ok: false, fault: `There is no manager ${JSON.stringify(name)}.` })

/** Adds `managers …`: the people who may use the page for managers. */
export function addManagersCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addCommand(group, 'add <NAME>', 'add a manager, with a password from a prompt or standard input', [
    'viewer-auth managers add eve@example.com --role event-manager',
    'viewer-auth managers add desk@example.com --role help-desk --entry-point gold',
  ])
    .addOption(new Option('--role <ROLE>', 'what the manager may do').choices(ROLES).makeOptionMandatory())
    .option('--entry-point <NAME>', 'only this entry point; repeatable. Default: all', collect)
    .action((name: string, options: Options) =>
      runCommand(context, options.json, () => withStore(io, (store) => add(io, store, name, options))),
    )
  addCommand(group, 'list', 'list the managers', ['viewer-auth managers list']).action(({ json }: Options) =>
    runCommand(context, json, () => withStore(io, (store) => list(io, store))),
  )
  addCommand(group, 'remove <NAME>', 'remove a manager, and end the sessions of the manager', [
    'viewer-auth managers remove eve@example.com',
  ])
    .option('--yes', 'do not ask')
    .action((name: string, { json, yes }: Options) =>
      runCommand(context, json, () => withStore(io, (store) => remove(io, store, name, yes))),
    )
  addCommand(group, 'reset <NAME>', 'set a new password, and let the manager set up the second step again', [
    'viewer-auth managers reset eve@example.com',
  ]).action((name: string, { json }: Options) =>
    runCommand(context, json, () => withStore(io, (store) => reset(io, store, name))),
  )
}

async function withStore(
  { env }: CommandIo,
  work: (store: ManagerStore) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const store = openManagerStore(readManagerPart(env).storeFile)
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

async function add(io: CommandIo, store: ManagerStore, typed: string, options: Options): Promise<Outcome> {
  const name = cleanName(typed)
  const fault = faultInUsername(name)
  if (fault !== null) return { ok: false, fault: `The name ${fault}.` }
  if (store.find(name) !== null) return { ok: false, fault: `The manager ${JSON.stringify(name)} already exists.` }
  const hash = await newHash(io, name)
  if (typeof hash !== 'string') return hash
  const { role = 'reader', entryPoint: entryPoints = null } = options
  const manager = { name, role, entryPoints }
  if (!store.add(manager, hash)) return { ok: false, fault: `The manager ${JSON.stringify(name)} already exists.` }
  return { ok: true, text: `Added ${printable(name)}. ${NEXT}`, data: manager }
}

async function list({ stdout }: CommandIo, store: ManagerStore): Promise<Outcome> {
  const data = store.list().map(({ name, role, entryPoints, stepSecret }) => {
    return { name, role, entryPoints, hasSecondStep: stepSecret !== null }
  })
  if (data.length === 0) return { ok: true, text: 'No managers.', data }
  const rows = data.map(({ name, role, entryPoints, hasSecondStep }) => {
    return [name, role, entryPoints?.join(', ') ?? 'all', hasSecondStep ? 'set' : 'not yet']
  })
  return { ok: true, text: await textTable(stdout, ['Name', 'Role', 'Entry points', 'Second step'], rows), data }
}

async function remove(io: CommandIo, store: ManagerStore, name: string, yes: boolean | undefined): Promise<Outcome> {
  const known = store.find(name)
  if (known === null) return unknown(name)
  const confirmed = await confirmRemoval(io, yes, `Remove the manager ${known.name}?`)
  if (!confirmed.ok) return confirmed
  return store.remove(name)
    ? { ok: true, text: `Removed ${printable(known.name)}.`, data: { name: known.name } }
    : unknown(name)
}

async function reset(io: CommandIo, store: ManagerStore, name: string): Promise<Outcome> {
  const known = store.find(name)
  if (known === null) return unknown(name)
  const hash = await newHash(io, known.name)
  if (typeof hash !== 'string') return hash
  if (!store.reset(name, hash)) return unknown(name)
  return { ok: true, text: `Reset ${printable(known.name)}. ${NEXT}`, data: { name: known.name } }
}

async function newHash(io: CommandIo, name: string): Promise<string | Extract<Outcome, { ok: false }>> {
  const words = readContextWords(io.env)
  const read = await readNewPassword(io, name, words)
  if (!read.ok) return read
  const fault = await faultInNewPassword(read.text, name, words)
  return fault === null ? await hashPassword(read.text) : { ok: false, fault }
}
