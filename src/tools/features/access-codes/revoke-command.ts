import { type Command, InvalidArgumentError } from 'commander'
import {
  type ActResult,
  addCommand,
  type CommandContext,
  type Outcome,
  runCommand,
} from '../../cli/terminal/command.ts'
import { type Confirm, confirmRemoval } from '../../cli/terminal/confirm.ts'
import { counted } from '../../cli/terminal/text.ts'
import { now, type OpenCodes, withCodes } from './open-codes.ts'

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
  readonly label: string
  readonly number?: readonly number[]
  readonly entryPoint?: string
}

const UNKNOWN_BATCH = { ok: false, fault: 'There is no such batch. See: viewer-auth codes list.' } as const

/** Adds `codes revoke`. */
export function addRevokeCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'revoke', 'revoke a batch, or single codes of it', [
    'viewer-auth codes revoke --label GALA',
    'viewer-auth codes revoke --label GALA --number 42 --number 43',
  ])
    .requiredOption('--label <NAME>', 'the batch')
    .option('--number <N>', 'only this code, such as 42 or GALA-0042; repeatable', collectNumber)
    .option('--entry-point <NAME>', 'the entry point, if several have access codes')
    .option('--yes', 'do not ask')
    .action((options: Options) =>
      runCommand(context, options.json, () =>
        withCodes(context.io, options.entryPoint, (open) => revoke(context, open, options)),
      ),
    )
}

async function revoke({ io }: CommandContext, open: OpenCodes, options: Options): Promise<Outcome> {
  const { label, number: numbers, yes } = options
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
  if (!isRevoked) return { ok: false, fault: `${batch.label} is revoked already.` }
  return { ok: true, data: { label: batch.label, revoked: batch.count } }
}

async function revokeNumbers(
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
  return missing.length === 0 ? done(batch.label, revoked.length, text) : { ok: false, fault: text }
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
