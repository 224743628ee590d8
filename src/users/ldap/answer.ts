/**
 * What a directory may answer, by its form alone (RFC 4511, 4; X.690, 8.1). The library that reads the answers takes a
 * result without a code for a success, and goes round for ever in a length that does not fit: what is not as agreed
 * never reaches it.
 */

/** One element: where its content begins and ends. */
interface Element {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** What was asked, by which its answer is known. */
export interface AskedOf {
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
/** To a bind, a search and an extended request. */
const ANSWERS: Readonly<Record<number, readonly number[]>> = {
  96: [0x61],
  99: [ENTRY, REFERENCE, SEARCH_RESULT],
  119: [0x78],
}
/** Behind code and words: a referral, the credentials of SASL, name and value of an extended response. */
const BEHIND_RESULT: readonly number[] = [0xa3, 0x87, 0x8a, 0x8b]
/** A directory's own words end up in the log. */
const LONGEST_WORDS_BYTES = 8192

/**
 * The element at an offset, whose content may not all be there yet; null where not even its length is.
 * @throws Error for a length of a form that LDAP does not have.
 */
export function elementAt(bytes: Buffer, offset: number): Element | null {
  const [tag, length] = [bytes[offset], bytes[offset + 1]]
  if (tag === undefined || length === undefined) return null
  if (length < 0x80) return { tag, start: offset + 2, end: offset + 2 + length }
  const lengthBytes = length - 0x80
  if (lengthBytes < 1 || lengthBytes > 4) throw unsound()
  const start = offset + 2 + lengthBytes
  return bytes.length < start ? null : { tag, start, end: start + bytes.readUIntBE(offset + 2, lengthBytes) }
}

/** What a message of ours asks. */
export function askedBy(message: Buffer): AskedOf {
  const { id, operation } = partsOf(message)
  return { id, operation: operation.tag }
}

/**
 * @param message one whole element.
 * @returns of how many elements it is made.
 * @throws Error for everything that is not an answer to what was asked.
 */
export function assertAnswer(message: Buffer, asked: AskedOf): number {
  const { id, operation, controls } = partsOf(message)
  if (id !== asked.id || !ANSWERS[asked.operation]?.includes(operation.tag)) {
    throw new Error('The directory sent what nobody asked for')
  }
  const count = operation.tag === ENTRY ? assertEntry(message, operation) : assertResult(message, operation)
  return count + (controls === undefined ? 0 : assertControls(message, controls))
}

function partsOf(message: Buffer) {
  const [whole, ...others] = elementsIn(message, { start: 0, end: message.length })
  if (whole?.tag !== SEQUENCE || others.length > 0) throw unsound()
  const [id, operation, controls, ...more] = elementsIn(message, whole)
  if (id?.tag !== INTEGER || operation === undefined || more.length > 0) throw unsound()
  if (controls !== undefined && controls.tag !== CONTROLS) throw unsound()
  return { id: numberOf(message, id), operation, controls }
}

function assertEntry(message: Buffer, entry: Element): number {
  const [name, list, ...more] = elementsIn(message, entry)
  if (name?.tag !== TEXT || list?.tag !== SEQUENCE || more.length > 0) throw unsound()
  let count = 0
  for (const attribute of elementsIn(message, list)) {
    const [type, set, ...others] = elementsIn(message, attribute)
    if (attribute.tag !== SEQUENCE || type?.tag !== TEXT || set?.tag !== SET || others.length > 0) throw unsound()
    // The library would take it for the entry's own name, and the password is then checked of another entry.
    if (message.toString('latin1', type.start, type.end) === 'dn') throw unsound()
    count += 1 + assertAll(elementsIn(message, set), [TEXT])
  }
  return count
}

function assertResult(message: Buffer, result: Element): number {
  const elements = elementsIn(message, result)
  if (result.tag === REFERENCE) return assertAll(elements, [TEXT])
  const [code, ...others] = elements
  const [name, words, ...more] = others
  if (code?.tag !== ENUMERATED || name === undefined || words === undefined) throw unsound()
  numberOf(message, code)
  assertAll([name, words], [TEXT])
  if ([name, words].some(({ start, end }) => end - start > LONGEST_WORDS_BYTES)) throw unsound()
  return assertAll(more, BEHIND_RESULT)
}

function assertControls(message: Buffer, controls: Element): number {
  const all = elementsIn(message, controls)
  for (const control of all) {
    const [type, ...more] = elementsIn(message, control)
    if (control.tag !== SEQUENCE || type?.tag !== TEXT || more.length > 2) throw unsound()
  }
  return all.length
}

function assertAll(elements: readonly Element[], tags: readonly number[]): number {
  if (!elements.every(({ tag }) => tags.includes(tag))) throw unsound()
  return elements.length
}

/** The elements that fill a content exactly. */
function elementsIn(bytes: Buffer, { start, end }: Pick<Element, 'start' | 'end'>): Element[] {
  const elements: Element[] = []
  for (let offset = start; offset < end; ) {
    const element = elementAt(bytes, offset)
    if (element === null || element.end > end) throw unsound()
    elements.push(element)
    offset = element.end
  }
  return elements
}

function numberOf(bytes: Buffer, { start, end }: Element): number {
  if (end - start < 1 || end - start > 4) throw unsound()
  return bytes.readIntBE(start, end - start)
}

function unsound(): Error {
  return new Error('The directory sent what is no message of LDAP')
}
