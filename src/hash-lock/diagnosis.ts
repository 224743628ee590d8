import { faultInParameters, type ResponseParameters, responseHash } from './authentication-response.ts'
import { checkAuthenticationResponse, type ResponseParts, readResponse } from './check-response.ts'

/**
 * The service's verdict on a response, as exact as possible. The service accepts only 'good' and 'expiry-stripped': a
 * response whose expiry was renamed to a parameter has the right hash.
 */
export type Diagnosis =
  | { readonly kind: 'good'; readonly expiresAtSeconds: number | null; readonly isInOrder: boolean }
  | { readonly kind: 'expiry-stripped'; readonly parameter: string }
  | { readonly kind: 'expired'; readonly secondsAgo: number }
  | { readonly kind: 'other-order'; readonly order: readonly string[] }
  | { readonly kind: 'without-expiry'; readonly order: readonly string[] | null }
  | { readonly kind: 'secret-with-white-space' }
  | { readonly kind: 'plus-as-space' }
  | { readonly kind: 'malformed'; readonly fault: string }
  | { readonly kind: 'wrong-secret-or-altered' }

interface HashedText {
  readonly name: string
  readonly value: string
}

/** The year 5138. UNIX times in milliseconds are later. */
const LAST_USUAL_SECONDS = 100_000_000_000
/** 7! orders are 5,040 digests, about 10 ms. */
const MOST_TEXTS_TO_REORDER = 7

/**
 * Explains to a developer why a response is accepted or refused. checkAuthenticationResponse() makes the decision.
 *
 * @param json the decoded value of the query parameter `hash`; any text.
 * @param nowSeconds UNIX time in seconds.
 */
export function diagnoseResponse(json: string, secret: string, nowSeconds: number): Diagnosis {
  const check = checkAuthenticationResponse(json, secret, nowSeconds)
  if (check.ok) {
    const suspect = check.expiresAtSeconds === null ? nameOfUnixTime(check.parameters) : undefined
    if (suspect !== undefined) return { kind: 'expiry-stripped', parameter: suspect }
    return { kind: 'good', expiresAtSeconds: check.expiresAtSeconds, isInOrder: check.isInOrder }
  }
  const parts = readResponse(json)
  if (typeof parts === 'string') return { kind: 'malformed', fault: parts }
  const fault = faultInParameters(parts.parameters)
  if (fault !== null) return { kind: 'malformed', fault: `${fault}.` }
  if (check.reason === 'expired') return { kind: 'expired', secondsAgo: nowSeconds - (parts.expiresAtSeconds ?? 0) }
  return diagnoseHash(parts, secret)
}

/** Describes the diagnosis for a log or a terminal, with parameter names, but without values and secret. */
export function describeDiagnosis(diagnosis: Diagnosis): string {
  switch (diagnosis.kind) {
    case 'good':
      return describeGood(diagnosis)
    case 'expiry-stripped':
      return `Accepted with a warning: it has no hashExpire, and the value of "${diagnosis.parameter}" looks like a UNIX time. An expiry renamed to a parameter has the same hash.`
    case 'expired':
      return `Refused: expired ${diagnosis.secondsAgo} s ago.`
    case 'other-order':
      return `Refused: the hash would match in this other order: ${diagnosis.order.join(', ')}. The order in the response must be the order that was hashed.`
    case 'without-expiry':
      return `Refused: the hash would match without its expiry${diagnosis.order ? ` and in this other order: ${diagnosis.order.join(', ')}` : ''}. hashExpire must be hashed after the parameters, before the secret.`
    case 'secret-with-white-space':
      return 'Refused: the hash would match with white space around the secret. One side reads a space or a line end as part of the secret.'
    case 'plus-as-space':
      return 'Refused: the hash would match with "+" in place of each space. Write "+" as %2B in the address.'
    case 'malformed':
      return `Refused: malformed. ${diagnosis.fault}`
    case 'wrong-secret-or-altered':
      return 'Refused: the hash does not match. The response was built with another secret, or changed.'
  }
}

function describeGood({ expiresAtSeconds, isInOrder }: Extract<Diagnosis, { kind: 'good' }>): string {
  const order = isInOrder ? '' : ' The hash comes before hashExpire: the documents have it last, so move it.'
  if (expiresAtSeconds === null) return 'Accepted. It has no expiry, so it never stops being valid.'
  if (expiresAtSeconds > LAST_USUAL_SECONDS)
    return `Accepted with a warning: hashExpire looks like milliseconds, so it never stops being valid.${order}`
  const until = new Date(expiresAtSeconds * 1000).toISOString()
  return isInOrder ? `Accepted until ${until}.` : `Accepted with a warning until ${until}.${order}`
}

function diagnoseHash({ parameters, expiresAtSeconds, hash }: ResponseParts, secret: string): Diagnosis {
  const values = parameters.map(([name, value]) => ({ name, value }))
  const expiry = expiresAtSeconds === null ? [] : [{ name: 'hashExpire', value: String(expiresAtSeconds) }]
  if (expiry.length > 0 && responseHash(parameters, null, secret) === hash)
    return { kind: 'without-expiry', order: null }
  const order = orderThatMatches([...values, ...expiry], hash, secret)
  if (order) return { kind: 'other-order', order }
  if (expiry.length > 0) {
    const orderWithoutExpiry = orderThatMatches(values, hash, secret)
    if (orderWithoutExpiry) return { kind: 'without-expiry', order: orderWithoutExpiry }
  }
  const spaced = [secret.trim(), `${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`]
  if (spaced.some((candidate) => responseHash(parameters, expiresAtSeconds, candidate) === hash)) {
    return { kind: 'secret-with-white-space' }
  }
  const plus = parameters.map(([name, value]) => [name, value.replaceAll(' ', '+')] as const)
  if (responseHash(plus, expiresAtSeconds, secret) === hash) return { kind: 'plus-as-space' }
  return { kind: 'wrong-secret-or-altered' }
}

function orderThatMatches(texts: readonly HashedText[], hash: string, secret: string): readonly string[] | null {
  for (const order of ordersToTry(texts)) {
    const asParameters: ResponseParameters = order.map(({ name, value }) => [name, value] as const)
    if (responseHash(asParameters, null, secret) === hash) return order.map(({ name }) => name)
  }
  return null
}

function* ordersToTry(texts: readonly HashedText[]): Generator<readonly HashedText[]> {
  if (texts.length <= MOST_TEXTS_TO_REORDER) {
    yield* permutations(texts)
    return
  }
  yield texts.toReversed()
  yield texts.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length <= 1) yield items
  else {
    for (const [index, first] of items.entries()) {
      for (const rest of permutations(items.toSpliced(index, 1))) yield [first, ...rest]
    }
  }
}

function nameOfUnixTime(parameters: ReadonlyMap<string, string>): string | undefined {
  for (const [name, value] of parameters) if (/^[1-3]\d{9}$/.test(value)) return name
  return undefined
}
