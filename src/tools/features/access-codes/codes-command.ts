import { type Command, InvalidArgumentError } from 'commander'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import {
  type Batch,
  endOf,
  type KnownCode,
  shownNumber,
  type Uses,
} from '../../../features/access-codes/codes/code-records.ts'
import type { CodeStore } from '../../../features/access-codes/codes/code-store.ts'
import type { HasEventTimes } from '../../cli/settings/event-times.ts'
import {
  type ActResult,
  addCommand,
  type CommandContext,
  type Outcome,
  runCommand,
} from '../../cli/terminal/command.ts'
import { type Confirm, confirmRemoval } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { MOST_TABLE_ROWS, textTable } from '../../cli/terminal/table.ts'
import { counted } from '../../cli/terminal/text.ts'
import { addCreateCommand } from './create-command.ts'
import { now, type OpenCodes, withCodes } from './open-codes.ts'
import { takenPlaces } from './taken-places.ts'

interface Options {
  readonly json?: boolean
  readonly label?: string
  readonly entryPoint?: string
  readonly name?: string
  readonly number?: readonly number[]
  readonly yes?: boolean
}

const ENTRY_POINT = ['--entry-point <NAME>', 'the entry point, if several have access codes'] as const
const UNKNOWN_BATCH = {
  ok: false,
  fault: 'There is no such batch. See: viewer-auth codes list.',
  code: 'changed',
} as const

/** Adds `codes create`, `codes list` and `codes revoke`. */
export function addCodesCommands(group: Command, context: CommandContext<HasEventTimes>): void {
  addCreateCommand(group, context)
  addListCommand(group, context)
  addRevokeCommand(group, context)
}

type State = 'valid' | 'revoked' | 'ended' | 'incomplete'

const BATCH_TITLES = ['Label', 'Codes', 'Limit', 'Until', 'State']
const CODE_TITLES = ['Number', 'Name', 'Sign-ins', 'First', 'Last', 'Until', 'State']

function addListCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'list', 'list the batches, or the codes of one and who used them', [
    'viewer-auth codes list',
    'viewer-auth codes list --label GALA',
    'viewer-auth codes list --name lovelace',
  ])
    .option('--label <NAME>', 'the codes of this batch')
    .option('--name <TEXT>', 'only codes of people whose name contains this text')
    .option(...ENTRY_POINT)
    .action((options: Options) =>
      runCommand(context, options.json, () =>
        withCodes(context.io, options.entryPoint, async ({ codes, entryPoint }) => {
          const batches = await codes.batches(entryPoint.name)
          if (options.label === undefined && options.name === undefined)
            return await listBatches(context.io, entryPoint, batches)
          const wanted = options.label?.toUpperCase()
          const chosen = batches.filter(({ label }) => wanted === undefined || label.toUpperCase() === wanted)
          if (chosen.length === 0) return UNKNOWN_BATCH
          return await listCodes(context.io, codes, chosen, options.name ?? '')
        }),
      ),
    )
}

/** Returns batches with their state, the places that are taken (null if not known), and their end in ISO 8601. */
export async function shownBatches(env: CommandIo['env'], entryPoint: EntryPoint, batches: readonly Batch[]) {
  const taken = await takenPlaces(env, entryPoint, batches)
  return batches.map((batch) => ({
    ...batch,
    state: stateOf({ batch, code: NO_CODE }),
    taken: taken.get(batch) ?? null,
    until: isoOf(batch.endsAtSeconds),
  }))
}

async function listBatches(
  { stdout, env }: CommandIo,
  entryPoint: EntryPoint,
  batches: readonly Batch[],
): Promise<Outcome> {
  const shown = await shownBatches(env, entryPoint, batches)
  const rows = shown.map(({ label, count, until, state, ...batch }) => [
    label,
    batch.isShared ? 'shared' : String(count),
    limitOf(batch),
    until ?? 'no end',
    state,
  ])
  const text = rows.length === 0 ? 'No codes.' : await textTable(stdout, BATCH_TITLES, rows)
  return { ok: true, text, data: { batches: shown } }
}

const NO_CODE = { number: 0, name: null, groups: [], attributes: {}, revokedAtSeconds: null }

type Limited = Pick<Batch, 'isShared' | 'most' | 'devices'> & { readonly taken: number | null }

function limitOf({ isShared, most, devices, taken }: Limited): string {
  const limit = isShared ? most : devices
  if (limit === null) return 'none'
  return `${taken === null ? '' : `${taken} of `}${counted(limit, isShared ? 'place' : 'device')}`
}

async function listCodes(
  { stdout, stderr }: CommandIo,
  codes: CodeStore,
  batches: readonly Batch[],
  name: string,
): Promise<Outcome> {
  const rows: CodeRow[] = []
  for await (const row of codeRows(codes, batches)) {
    if ((row.name ?? '').toLowerCase().includes(name.toLowerCase())) rows.push(row)
  }
  if (rows.length > MOST_TABLE_ROWS) {
    stderr.write(`The table shows ${MOST_TABLE_ROWS} of ${counted(rows.length, 'code')}. Use --json for all.\n`)
  }
  const cells = rows
    .slice(0, MOST_TABLE_ROWS)
    .map((row) => [
      `${row.label}-${shownNumber(row.number)}`,
      row.name ?? '',
      String(row.signIns),
      row.firstUse ?? '',
      row.lastUse ?? '',
      row.until ?? 'no end',
      row.state,
    ])
  const text = rows.length === 0 ? 'No codes.' : await textTable(stdout, CODE_TITLES, cells)
  return { ok: true, text, data: { codes: rows } }
}

type CodeRow = ReturnType<typeof rowOf>

/** Lists the codes of batches, with their names and uses. */
export async function* codeRows(codes: CodeStore, batches: readonly Batch[]): AsyncGenerator<CodeRow> {
  for (const batch of batches)
    for await (const { code, uses } of codes.codesOf(batch)) yield rowOf({ batch, code }, uses)
}

export function rowOf({ batch, code }: KnownCode, uses: Uses | null) {
  return {
    label: batch.label,
    number: code.number,
    name: code.name ?? uses?.name ?? null,
    signIns: uses?.count ?? 0,
    firstUse: isoOf(uses?.firstAtSeconds ?? null),
    lastUse: isoOf(uses?.lastAtSeconds ?? null),
    until: isoOf(batch.endsAtSeconds),
    state: stateOf({ batch, code }),
  }
}

function stateOf(known: KnownCode): State {
  return endOf(known, now()) ?? (known.batch.isComplete ? 'valid' : 'incomplete')
}

function isoOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000', '')
}

function addRevokeCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'revoke', 'revoke a batch, or single codes of it', [
    'viewer-auth codes revoke --label GALA',
    'viewer-auth codes revoke --label GALA --number 42 --number 43',
  ])
    .requiredOption('--label <NAME>', 'the batch')
    .option('--number <N>', 'only this code, such as 42 or GALA-0042; repeatable', collectNumber)
    .option(...ENTRY_POINT)
    .option('--yes', 'do not ask')
    .action((options: Options) =>
      runCommand(context, options.json, () =>
        withCodes(context.io, options.entryPoint, (open) => revoke(context, open, options)),
      ),
    )
}

async function revoke({ io }: CommandContext, open: OpenCodes, options: Options): Promise<Outcome> {
  const { label = '', number: numbers, yes } = options
  if (numbers !== undefined) return await revokeNumbers(open, label, numbers)
  const revoked = await revokeBatch(open, label, (question) => confirmRemoval(io, yes, question))
  if (!revoked.ok) return revoked
  const { data } = revoked
  return done(data.label, data.revoked, `Revoked ${counted(data.revoked, 'code')} of ${data.label}.`)
}

/** Revokes all codes of a batch. */
export async function revokeBatch(
  { codes, entryPoint }: OpenCodes,
  label: string,
  confirm: Confirm,
): Promise<ActResult<{ readonly label: string; readonly revoked: number }>> {
  const batch = await codes.batch(entryPoint.name, label)
  if (batch === null) return UNKNOWN_BATCH
  const confirmation = await confirm(`Revoke ${counted(batch.count, 'code')} of ${batch.label}? This cannot be undone.`)
  if (!confirmation.ok) return confirmation
  const isRevoked = await codes.revokeBatch(batch, now())
  if (!isRevoked) return { ok: false, fault: `${batch.label} is revoked already.`, code: 'changed' }
  return { ok: true, data: { label: batch.label, revoked: batch.count } }
}

/** Revokes single codes of a batch. */
export async function revokeNumbers(
  { codes, entryPoint }: OpenCodes,
  label: string,
  numbers: readonly number[],
): Promise<Outcome> {
  const batch = await codes.batch(entryPoint.name, label)
  if (batch === null) return UNKNOWN_BATCH
  const revoked: number[] = []
  for (const number of numbers) if (await codes.revokeCode(batch, number, now())) revoked.push(number)
  const missing = numbers.filter((number) => !revoked.includes(number))
  const rest = missing.length > 0 ? ` Unknown, or revoked already: ${missing.join(', ')}.` : ''
  const text = `Revoked ${counted(revoked.length, 'code')} of ${batch.label}.${rest}`
  return missing.length === 0 ? done(batch.label, revoked.length, text) : { ok: false, fault: text, code: 'changed' }
}

function done(label: string, revoked: number, text: string): Outcome {
  const effect = 'Who watches with such a code is refused when the response expires.'
  return { ok: true, text: `${text} ${effect}`, data: { label, revoked } }
}

function collectNumber(text: string, numbers: readonly number[] = []): readonly number[] {
  const [, digits] = /^(?:[A-Za-z0-9-]+-)?(\d{1,6})$/.exec(text) ?? []
  if (digits === undefined) throw new InvalidArgumentError('Use a number, such as 42.')
  return [...new Set([...numbers, Number(digits)])]
}
