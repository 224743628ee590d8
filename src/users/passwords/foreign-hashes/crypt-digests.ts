import { hash } from 'node:crypto'

/** The work for one verification of a hash of phpass or crypt(3). */
export interface CryptJob {
  readonly algorithm: 'phpass' | 'md5' | 'apr1' | 'sha256' | 'sha512'
  readonly password: string
  readonly salt: string
  readonly rounds: number
}

/** Returns the digest. Blocks its thread: a round takes about a microsecond. */
export function cryptDigest({ algorithm, password, salt, rounds }: CryptJob): Buffer {
  const text = Buffer.from(password)
  const saltBytes = Buffer.from(salt)
  switch (algorithm) {
    case 'phpass':
      return phpass(text, saltBytes, rounds)
    case 'md5':
      return md5Crypt('$1$', text, saltBytes, rounds)
    case 'apr1':
      return md5Crypt('$apr1$', text, saltBytes, rounds)
    case 'sha256':
    case 'sha512':
      return shaCrypt(algorithm, text, saltBytes, rounds)
  }
}

/** https://www.openwall.com/phpass/ */
function phpass(password: Buffer, salt: Buffer, rounds: number): Buffer {
  let digest = digestOf('md5', [salt, password])
  for (let round = 0; round < rounds; round += 1) digest = digestOf('md5', [digest, password])
  return digest
}

/** MD5-crypt of FreeBSD, and its variant of Apache, which differs only in the magic text. */
function md5Crypt(magic: string, password: Buffer, salt: Buffer, rounds: number): Buffer {
  const { length } = password
  const inner = digestOf('md5', [password, salt, password])
  const bits = bitsOf(length).map((bit) => (bit === 1 ? Buffer.alloc(1) : password.subarray(0, 1)))
  const first = digestOf('md5', [password, Buffer.from(magic), salt, repeated(inner, length), ...bits])
  return stretched('md5', first, password, salt, rounds)
}

/** SHA-crypt: https://www.akkadia.org/drepper/SHA-crypt.txt */
function shaCrypt(name: 'sha256' | 'sha512', password: Buffer, salt: Buffer, rounds: number): Buffer {
  const { length } = password
  const inner = digestOf(name, [password, salt, password])
  const bits = bitsOf(length).map((bit) => (bit === 1 ? inner : password))
  const first = digestOf(name, [password, salt, repeated(inner, length), ...bits])
  const passwordBytes = repeated(digestOf(name, Array<Buffer>(length).fill(password)), length)
  const saltRepeats = 16 + (first[0] ?? 0)
  const saltBytes = repeated(digestOf(name, Array<Buffer>(saltRepeats).fill(salt)), salt.length)
  return stretched(name, first, passwordBytes, saltBytes, rounds)
}

/** The rounds that MD5-crypt and SHA-crypt share. */
function stretched(name: string, first: Buffer, password: Buffer, salt: Buffer, rounds: number): Buffer {
  let digest = first
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1
    const parts = [isOdd ? password : digest]
    if (round % 3 !== 0) parts.push(salt)
    if (round % 7 !== 0) parts.push(password)
    parts.push(isOdd ? digest : password)
    digest = digestOf(name, parts)
  }
  return digest
}

function digestOf(name: string, parts: readonly Buffer[]): Buffer {
  return hash(name, Buffer.concat(parts), 'buffer')
}

/** Repeats the bytes up to a length, and cuts off the rest. */
function repeated(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes)
}

/** Returns the bits of a number, the lowest first, without zeros at the end. */
function bitsOf(number: number): number[] {
  return number === 0 ? [] : [...number.toString(2)].reverse().map(Number)
}
