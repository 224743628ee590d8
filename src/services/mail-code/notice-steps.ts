import { randomBytes } from 'node:crypto'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { RecordWrite } from '../guests/guest-records.ts'
import { createSeal } from '../pass/seal.ts'
import { placeOf } from './lanes.ts'
import type { Notice } from './notices.ts'
import { OUTBOX_SEAL, outboxStep } from './outbox-records.ts'

const LIFETIME_SECONDS = 3 * 86_400

/**
 * Creates the steps that add notices of a feature at an entry point. The batch of the change writes them too. Commands
 * also use them: the app then sends the notices.
 * @param secrets SESSION_SECRET and the previous one.
 * @param spacingMs the time between two notices.
 */
export function createNoticeSteps(
  secrets: readonly string[],
  { feature, entryPoint }: { readonly feature: string; readonly entryPoint: Pick<EntryPoint, 'name'> },
  { nowMs, spacingMs }: { readonly nowMs: () => number; readonly spacingMs: number },
): (notice: Notice) => RecordWrite {
  const seal = createSeal(secrets, OUTBOX_SEAL)
  const scope = `${feature} ${entryPoint.name}`
  let lastMs = 0
  return ({ address, name, language }) => {
    const atMs = nowMs()
    lastMs = Math.max(atMs, lastMs + spacingMs)
    const endsAtSeconds = lastMs / 1000 + LIFETIME_SECONDS
    const requestId = randomBytes(9).toString('base64url')
    const mail = { scope, address, language, notice: name, code: '', device: [], requestId, atMs, endsAtSeconds }
    return outboxStep(seal, mail, placeOf(lastMs), lastMs)
  }
}
