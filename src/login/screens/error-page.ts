import { OverloadedError, UpstreamError } from '../../errors.ts'
import { UNREADABLE_FORM } from '../request/form-body.ts'
import type { Refusal } from './screens.ts'

const UPSTREAM_RETRY_SECONDS = 30

/** Refusals by the `type` of a `body-parser` error. */
const FORM_FAULTS: Readonly<Record<string, Refusal>> = {
  'entity.too.large': { status: 413, text: 'tooLarge' },
  'parameters.too.many': { status: 400, text: 'badForm' },
  [UNREADABLE_FORM]: { status: 400, text: 'unreadableText' },
  'charset.unsupported': { status: 415, text: 'wrongType' },
  'encoding.unsupported': { status: 415, text: 'wrongType' },
}

/** Turns an error into a status and a sentence; no other function does. Its message is for the log (OWASP ASVS 16.5.1). */
export function describeError(error: unknown): Refusal {
  if (error instanceof OverloadedError) {
    return { status: 503, text: 'overloaded', retryAfterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof UpstreamError) {
    return { status: 503, text: 'storeDown', retryAfterSeconds: UPSTREAM_RETRY_SECONDS }
  }
  const type = error instanceof Error && 'type' in error ? String(error.type) : ''
  const formFault = FORM_FAULTS[type]
  if (formFault !== undefined) return formFault
  if (/^(request|entity)\./.test(type)) return { status: 400, text: 'badForm' }
  return { status: 500, text: 'internal' }
}
