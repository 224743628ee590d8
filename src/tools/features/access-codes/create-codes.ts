import { ConfigError } from '../../../errors.ts'
import { codesInForce } from '../../../features/access-codes/codes/batch-budget.ts'
import type { Batch } from '../../../features/access-codes/codes/code-records.ts'
import {
  type Budget,
  type CodesInForce,
  guessingBudget,
  lengthFor,
  YEAR_SECONDS,
} from '../../../features/access-codes/codes/guessing-budget.ts'
import { type Holder, newCodes, type ShownCode } from '../../../features/access-codes/codes/new-codes.ts'
import { coded } from '../../../users/viewer-changes.ts'
import type { ActResult } from '../../cli/terminal/command.ts'
import { now, type OpenCodes } from './open-codes.ts'

/** A batch of codes to create. */
export interface NewBatch
  extends Pick<Batch, 'label' | 'isShared' | 'most' | 'devices' | 'endsAtSeconds' | 'groups' | 'attributes'> {
  /** One code for each. */
  readonly holders: readonly Holder[]
  /** Words at the beginning of each code. */
  readonly words: string | null
}

/** New codes, which are shown only now, and the budget that they leave. */
export interface CreatedCodes extends Pick<Budget, 'chance' | 'guesses'> {
  readonly label: string
  readonly entryPoint: string
  readonly codes: readonly ShownCode[]
}

/**
 * Creates and stores the codes of a new batch.
 * @param around stores the codes, after files with them could be written.
 * @throws ConfigError if the codes would be too easy to guess.
 */
export async function createCodes(
  { entryPoint, settings, codes }: OpenCodes,
  wanted: NewBatch,
  around: (shown: readonly ShownCode[], store: () => Promise<boolean>) => Promise<boolean> = (_shown, store) => store(),
): Promise<ActResult<CreatedCodes>> {
  const { holders, words, ...batch } = wanted
  const { label, endsAtSeconds } = batch
  const nowSeconds = now()
  if (endsAtSeconds !== null && endsAtSeconds <= nowSeconds)
    return { ok: false, fault: '--until is in the past.', code: 'past' }
  const before = codesInForce(await codes.batches(entryPoint.name), nowSeconds)
  const plan = planLength(before, { count: holders.length, endsAtSeconds, nowSeconds })
  const planned = {
    ...batch,
    entryPoint: entryPoint.name,
    count: holders.length,
    length: plan.length,
    createdAtSeconds: nowSeconds,
    revokedAtSeconds: null,
  }
  const { shown, stored } = newCodes(planned, holders, settings.key, words)
  const isStored = await around(shown, () => codes.create(planned, stored))
  if (!isStored)
    return { ok: false, fault: `There is a batch ${label} already. Choose another --label.`, ...coded('exists', label) }
  return {
    ok: true,
    data: { label, entryPoint: entryPoint.name, chance: plan.chance, guesses: plan.guesses, codes: shown },
  }
}

interface Wanted {
  readonly count: number
  readonly endsAtSeconds: number | null
  readonly nowSeconds: number
}

/**
 * Returns the fewest random characters for new codes that the budget allows, and the budget with these codes.
 * @throws ConfigError if the codes before use up the budget.
 */
export function planLength(
  before: readonly CodesInForce[],
  { count, endsAtSeconds, nowSeconds }: Wanted,
): Budget & { readonly length: number } {
  const lifeSeconds = (endsAtSeconds ?? nowSeconds + YEAR_SECONDS) - nowSeconds
  const length = lengthFor(count, lifeSeconds, before)
  if (length === null) {
    throw new ConfigError(
      'The codes that are valid already are too easy to guess for so long a time. Revoke some with: codes revoke, or use an earlier --until.',
      { coded: { code: 'tooGuessable' } },
    )
  }
  return { ...guessingBudget([...before, { length, count }], lifeSeconds), length }
}
