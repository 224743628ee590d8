import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Lazy } from '../lazy.ts'
import { loadAll } from '../lazy.ts'
import type { AnswerAt, AnswerCheck } from './answer-check.ts'
import type { FeatureCheck, FeatureChecks } from './feature-check.ts'

/** The parts of a feature that the doctor uses. */
export interface HasChecks {
  readonly check?: Lazy<FeatureCheck>
  readonly answerCheck?: Lazy<AnswerCheck>
}

export async function loadChecks(features: readonly HasChecks[]): Promise<FeatureChecks> {
  const featureChecks = await loadAll(features.map(({ check }) => check))
  return { featureChecks, answerChecks: await loadAll(features.map(({ answerCheck }) => answerCheck)) }
}

/** Returns the checks of the answer of an entry point. Null with a hash. */
export function answerAt(
  { answerChecks }: Pick<FeatureChecks, 'answerChecks'>,
  entryPoint: EntryPoint,
): AnswerAt | null {
  return answerChecks.map(({ at }) => at(entryPoint)).find((answer) => answer !== null) ?? null
}
