import { randomBytes } from 'node:crypto'
import { ConfigError } from '../../../../errors.ts'
import { codesInForce } from '../../../../features/access-codes/codes/batch-budget.ts'
import { type Batch, shownNumber } from '../../../../features/access-codes/codes/code-records.ts'
import type { NewCode } from '../../../../features/access-codes/codes/code-store.ts'
import { NO_HOLDER, newCodes } from '../../../../features/access-codes/codes/new-codes.ts'
import { faultInViewer } from '../../../../users/viewer-fields.ts'
import type { SignInForm } from '../../../cli/drill/crowd/sign-in-form.ts'
import type { WayIn } from '../../../cli/drill/drill-part.ts'
import { endMadeUpSessions, retryWhileAway } from '../../../cli/drill/drill-viewers.ts'
import { planLength } from '../create-codes.ts'
import { now, type OpenCodes, withCodes } from '../open-codes.ts'

/** A drill that is killed leaves codes for this time. */
const LIFE_SECONDS = 86_400

const CODE_FORM: SignInForm = {
  words: 'with an access code',
  typed: 'code',
  post: ({ password: code }, mistyped) => ({ path: '/access-code', fields: { code: mistyped ?? code } }),
  causes: {
    'too-many-tries':
      'a network may type SIGN_IN_LIMIT_PER_ADDRESS wrong codes in ten minutes. All guests share the address of this machine: use a lower --wrong',
  },
}

/** Guests with a personal access code each: a batch that is revoked and removed after the work. */
export const accessCodeWay: WayIn = {
  name: 'codes',
  takesFields: true,
  async withCrowd(io, { entryPoint, count, groups, attributes }, work) {
    const fault = faultInViewer({ username: 'drill', groups, attributes })
    if (fault !== null) return { ok: false, fault }
    return await withCodes(io, entryPoint.name, async ({ codes, settings }) => {
      if (settings.asksName === 'required') {
        throw new ConfigError('ACCESS_CODE_NAME=required: the guests of a drill type no name. Set it to optional.')
      }
      const nowSeconds = now()
      const endsAtSeconds = nowSeconds + LIFE_SECONDS
      const label = `DRILL-${randomBytes(4).toString('hex').toUpperCase()}`
      const wanted = { count, endsAtSeconds, nowSeconds }
      const { length } = planLength(codesInForce(await codes.batches(entryPoint.name), nowSeconds), wanted)
      const batch: Omit<Batch, 'isComplete'> = {
        entryPoint: entryPoint.name,
        label,
        isShared: false,
        most: null,
        devices: null,
        count,
        length,
        groups: [...groups],
        attributes: { ...attributes },
        createdAtSeconds: nowSeconds,
        endsAtSeconds,
        revokedAtSeconds: null,
      }
      const holders = Array.from({ length: count }, () => NO_HOLDER)
      const { shown, stored } = newCodes(batch, holders, settings.key)
      const guests = shown.map(({ number, code }) => ({ username: `${label}-${shownNumber(number)}`, password: code }))
      io.stderr.write(
        `Creates ${count} access codes with the label ${label}, for a day at most.\n` +
          `If the drill is killed, this ends them: viewer-auth codes revoke --label ${label} --entry-point ${entryPoint.name}\n`,
      )
      try {
        await codes.create(batch, stored)
        return await work(guests, CODE_FORM)
      } finally {
        await endMadeUpSessions(io, guests, true)
        await removeCodes(codes, batch, stored)
      }
    })
  },
}

/**
 * Revokes and removes the batch. If the store is away, waits until it is back.
 * @throws ConfigError that names a command, if the store stays away.
 */
export async function removeCodes(
  codes: Pick<OpenCodes['codes'], 'revokeBatch' | 'remove'>,
  batch: Pick<Batch, 'entryPoint' | 'label'>,
  stored: readonly NewCode[],
  times?: { readonly everyMs: number; readonly atMostMs: number },
): Promise<void> {
  const command = `viewer-auth codes revoke --label ${batch.label} --entry-point ${batch.entryPoint}`
  const text = `The guests store does not answer, so codes of the drill remain. Then run: ${command}`
  const remove = async () => {
    // First, so that no code is valid any more if the removal fails.
    await codes.revokeBatch(batch, now())
    await codes.remove(batch, stored)
  }
  await retryWhileAway(remove, (cause) => new ConfigError(text, { cause }), times)
}
