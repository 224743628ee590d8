import type { HashEntryPoint } from '../../../entry-points/entry-point.ts'
import { type Diagnosis, diagnoseResponse } from '../../../hash-lock/diagnosis.ts'

export interface EntryPointDiagnosis {
  readonly diagnosis: Diagnosis
  /** The secret of the response; `current` also if neither secret fits. */
  readonly secret: 'current' | 'previous'
}

/** Diagnoses a response with the secret of an entry point, or with its previous secret if only that one fits. */
export function diagnoseForEntryPoint(
  response: string,
  { secret, previousSecret }: HashEntryPoint,
  nowSeconds: number,
): EntryPointDiagnosis {
  const diagnosis = diagnoseResponse(response, secret, nowSeconds)
  if (diagnosis.kind !== 'wrong-secret-or-altered' || previousSecret === null) return { diagnosis, secret: 'current' }
  const previous = diagnoseResponse(response, previousSecret, nowSeconds)
  return previous.kind === 'wrong-secret-or-altered'
    ? { diagnosis, secret: 'current' }
    : { diagnosis: previous, secret: 'previous' }
}
