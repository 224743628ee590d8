import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../../cli/command.ts'
import { confirmRemoval } from '../../cli/terminal/confirm.ts'
import { counted } from '../../cli/terminal/text.ts'
import { now, type OpenCodes, withCodes } from './open-codes.ts'

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
  readonly label: string
  readonly number?: readonly number[]
  readonly entryPoint?: string
}

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

async function revoke({ io }: CommandContext, { codes, entryPoint }: OpenCodes, options: Options): Promise<Outcome> {
  const batch = await codes.batch(entryPoint.name, options.label)
  if (batch === null) return { ok: false, fault: 'There is no such batch. See: viewer-auth codes list.' }
  const { number: numbers } = options
  if (numbers === undefined) {
    const what = `${counted(batch.count, 'code')} of ${batch.label}`
    const confirmation = await confirmRemoval(io, options.yes, `Revoke ${what}? This cannot be undone.`)
    if (!confirmation.ok) return confirmation
    const isRevoked = await codes.revokeBatch(batch, now())
    if (!isRevoked) return { ok: false, fault: `${batch.label} is revoked already.` }
    return done(batch.label, batch.count, `Revoked ${what}.`)
  }
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
