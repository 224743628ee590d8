/**
 * Checks the form of every message from a directory (RFC 4511, 4; X.690, 8.1) before ldapts reads it. ldapts reads a
 * result without a code as a success, and never returns for a wrong length.
 */

/** A BER element: its tag, and the offsets of its content. */
interface Element {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** The last request, to which answers must belong. */
export interface PendingRequest {
  readonly id: number
  readonly operation: number
}

const INTEGER = 0x02
const TEXT = 0x04
const ENUMERATED = 0x0a
const SEQUENCE = 0x30
const SET = 0x31
const CONTROLS = 0xa0
const ENTRY = 0x64
const REFERENCE = 0x73
const SEARCH_RESULT = 0x65
/** Answers to a bind, a search and an extended request. */
const ANSWERS: Readonly<Record<number, readonly number[]>> = {
  96: [0x61],
  99: [ENTRY, REFERENCE, SEARCH_RESULT],
  119: [0x78],
}
/** Optional parts of a result: a referral, SASL credentials, name and value of an extended response. */
const OPTIONAL_PARTS: readonly number[] = [0xa3, 0x87, 0x8a, 0x8b]
/** Limits texts from the directory, since they are logged. */
const MAX_TEXT_BYTES = 8192

/**
 * Returns the element at an offset; null if its length has not arrived yet. Its content may still be incomplete.
 * @throws Error for a form of length that LDAP does not allow.
 */
export function elementAt(bytes: Buffer, offset: number): Element | null {
  const tag = bytes[offset]
  const length = bytes[offset + 1]
  if (tag === undefined || length === undefined) return null
  if (length < 0x80) return { tag, start: offset + 2, end: offset + 2 + length }
  const lengthBytes = length - 0x80
  if (lengthBytes < 1 || lengthBytes > 4) throw malformed()
  const start = offset + 2 + lengthBytes
  return bytes.length < start ? null : { tag, start, end: start + bytes.readUIntBE(offset + 2, lengthBytes) }
}

/** Reads a request of ours. */
export function readRequest(message: Buffer): PendingRequest {
  const { id, operation } = partsOf(message)
  return { id, operation: operation.tag }
}

/**
 * Checks that a message is a valid answer to the request.
 * @param message one complete element.
 * @returns the number of its elements.
 * @throws Error for any other message.
 */
export function assertAnswer(message: Buffer, request: PendingRequest): number {
  const { id, operation, controls } = partsOf(message)
  if (id !== request.id || !ANSWERS[request.operation]?.includes(operation.tag)) {
    throw new Error('The directory sent an unexpected message')
  }
  const count = operation.tag === ENTRY ? assertEntry(message, operation) : assertResult(message, operation)
  return count + (controls === undefined ? 0 : assertControls(message, controls))
}

function partsOf(message: Buffer) {
  const [whole, ...extra] = elementsIn(message, { start: 0, end: message.length })
  if (whole?.tag !== SEQUENCE || extra.length > 0) throw malformed()
  const [id, operation, controls, ...more] = elementsIn(message, whole)
  if (id?.tag !== INTEGER || operation === undefined || more.length > 0) throw malformed()
  if (controls !== undefined && controls.tag !== CONTROLS) throw malformed()
  return { id: numberOf(message, id), operation, controls }
}

function assertEntry(message: Buffer, entry: Element): number {
  const [name, list, ...more] = elementsIn(message, entry)
  if (name?.tag !== TEXT || list?.tag !== SEQUENCE || more.length > 0) throw malformed()
  let count = 0
  for (const attribute of elementsIn(message, list)) {
    const [type, set, ...extra] = elementsIn(message, attribute)
    if (attribute.tag !== SEQUENCE || type?.tag !== TEXT || set?.tag !== SET || extra.length > 0) throw malformed()
    // ldapts would take this attribute for the entry's name, and check the password of another entry.
    if (message.toString('latin1', type.start, type.end) === 'dn') throw malformed()
    count += 1 + assertAll(elementsIn(message, set), [TEXT])
  }
  return count
}

function assertResult(message: Buffer, result: Element): number {
  const elements = elementsIn(message, result)
  if (result.tag === REFERENCE) return assertAll(elements, [TEXT])
  const [code, name, text, ...more] = elements
  if (code?.tag !== ENUMERATED || name === undefined || text === undefined) throw malformed()
  numberOf(message, code)
  assertAll([name, text], [TEXT])
  if ([name, text].some(({ start, end }) => end - start > MAX_TEXT_BYTES)) throw malformed()
  return assertAll(more, OPTIONAL_PARTS)
}

function assertControls(message: Buffer, controls: Element): number {
  const all = elementsIn(message, controls)
  for (const control of all) {
    const [type, ...more] = elementsIn(message, control)
    if (control.tag !== SEQUENCE || type?.tag !== TEXT || more.length > 2) throw malformed()
  }
  return all.length
}

function assertAll(elements: readonly Element[], tags: readonly number[]): number {
  if (!elements.every(({ tag }) => tags.includes(tag))) throw malformed()
  return elements.length
}

/** Returns the elements of a content. @throws Error if they do not fill it exactly. */
function elementsIn(bytes: Buffer, { start, end }: Pick<Element, 'start' | 'end'>): Element[] {
  const elements: Element[] = []
  for (let offset = start; offset < end; ) {
    const element = elementAt(bytes, offset)
    if (element === null || element.end > end) throw malformed()
    elements.push(element)
    offset = element.end
  }
  return elements
}

function numberOf(bytes: Buffer, { start, end }: Element): number {
  if (end - start < 1 || end - start > 4) throw malformed()
  return bytes.readIntBE(start, end - start)
}

function malformed(): Error {
  return new Error('The directory sent a malformed LDAP message')
}
