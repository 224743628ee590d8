import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { knownPasswords } from '../../../src/users/passwords/known-hashes.ts'

// Some foreign hashes are costly, and slow while other tests run.
vi.setConfig({ testTimeout: 30_000 })

const published: [source: string, password: string, passwordHash: string][] = [
  [
    'argon2, test.c',
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
  [
    'Django, tests',
    'secret',
    'argon2$argon2i$m=8,t=1,p=1$c29tZXNhbHQ$gwQOXSNhxiOxPOA0+PY10P9QFO4NAYysnqRt1GSQLE55m+2GYDt9FEjPMHhP2Cuf0nOEXXMocVrsJAtNSsKyfg',
  ],
  ['crypt_blowfish', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['crypt_blowfish', 'U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['jBCrypt', 'abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['PHP 8.2, password_hash', 'pässword ☃', '$2y$05$IbVxP04x94d0myEcu1lSKOBi0RejuoWXECOQ27IY9A68Pn/qzfoRW'],
  [
    'PHP 8.2, as Django writes it',
    'pässword ☃',
    'bcrypt_sha256$$2y$05$iH2hYS4oZnU6G0hGB5a9VeaolnPasPxDSlIb4Y/Pbd30U7OAZjQ0y',
  ],
  ['WordPress 6.8', 'admin', '$wp$2y$10$Q1xinFjrZeLWJBvxviIL6u834Fu.evIEFHAUVisQ5O.w9Dm0sMdES'],
  [
    'passlib, documentation',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  [
    'Django, tests',
    'lètmein',
    'scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
  ],
  [
    'RFC 7914',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI',
  ],
  ['scrypt paper', '', '$scrypt$ln=4,r=1,p=1$$d9ZXYjhleyA7GcpCwYoEl/FrSETjB0ro39/6P+3iFEI'],
  ['passlib, tests', 'password', '$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI'],
  [
    'passlib, tests',
    'password',
    '$pbkdf2-sha256$1212$4vjV83LKPjQzk31VI4E0Vw$hsYF68OiOUPdDZ1Fg.fJPeq1h/gXXY7acBp9/6c.tmQ',
  ],
  [
    'passlib, tests',
    'password',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
  ],
  ['Python, hashlib', 'password', '$pbkdf2-sha256$i=4096,l=32$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o'],
  ['Django 5.1, tests', 'lètmein', 'pbkdf2_sha256$870000$seasalt$wJSpLMQRQz0Dhj/pFpbyjMj71B2gUYp6HJS5AU+32Ac='],
  ['Django 1.4, tests', 'letmein', 'pbkdf2_sha1$10000$seasalt$91JiNKgwADC8j2j86Ije/cc4vfQ='],
  ['OpenLDAP, passlib', 'testing123', '{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr'],
  ['OpenLDAP, passlib', 'test', '{SSHA}Pfx6Vf48AT9x3FVv8znbo8WQkEVSipHSWovxXmvNWUvp/d/7'],
  ['OpenLDAP, pw-sha2', 'pässword ☃', '{SSHA256}v3Y6IhjP8oHQ9shKKWQUShGCg++ZHHkgudtDQzyC3b1N6/byVuSV+w=='],
  [
    'OpenLDAP, passlib',
    'toomanysecrets',
    '{SSHA512}wExp4xjiCHS0zidJDC4UJq9EEeIebAQPJ1PWSwfhxWjfutI9XiiKuHm2AE41cEFfK+8HyI8bh+ztbczUGsvVFIgICWWPt7qu',
  ],
  ['phpass, test.php', 'test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['phpass, passlib', '', '$P$7JaFQsPzJSuenezefD/3jHgt5hVfNH0'],
  ['phpBB, passlib', '123456', '$H$9PE8jEklgZhgLmZl5.HYJAzfGCQtzi1'],
]

test.each(published)('a foreign hash is verified: %s, password %j, %s', async (_source, password, passwordHash) => {
  expect(knownPasswords.faultIn(passwordHash)).toBeNull()
  expect(await knownPasswords.verify(passwordHash, password)).toBe(true)
  expect(await knownPasswords.verify(passwordHash, `${password}x`)).toBe(false)
  expect(await knownPasswords.verify(passwordHash, `${password}\0${password}`)).toBe(false)
})

test.each(published)('a foreign hash needs a rehash: %s, password %j, %s', (_source, password, passwordHash) => {
  expect(knownPasswords.needsRehash(passwordHash, password)).toBe(true)
})

const bcrypt = '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
test.each([
  ['bcrypt, 71 bytes', bcrypt, 'p'.repeat(71), true],
  ['bcrypt, 72 bytes', bcrypt, 'p'.repeat(72), false],
  ['bcrypt, 36 characters of 2 bytes', bcrypt, 'ä'.repeat(36), false],
  ['bcrypt of Django, 73 bytes', `bcrypt$${bcrypt}`, 'p'.repeat(73), false],
  ['bcrypt of a digest of Django, 200 bytes', `bcrypt_sha256$${bcrypt}`, 'p'.repeat(200), true],
  ['bcrypt of a digest of WordPress, 200 bytes', `$wp${bcrypt}`, 'p'.repeat(200), true],
  ['phpass, 200 bytes', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'p'.repeat(200), true],
])('a hash is replaced only if it reads the whole password: %s', (_what, passwordHash, typed, expected) => {
  expect(knownPasswords.needsRehash(passwordHash, typed)).toBe(expected)
})

const costly = 'needs more memory or time than one sign-in may use'
const salt = 'c29tZXNhbHQ'
const key = 'wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA'

test.each([
  ['argon2', `$argon2id$v=19$m=4194304000,t=2,p=1$${salt}$${key}`],
  ['argon2 of Django', `argon2$argon2id$v=19$m=4194304000,t=2,p=1$${salt}$${key}`],
  ['bcrypt', '$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt', '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['scrypt by memory', `$scrypt$ln=30,r=8,p=1$${salt}$${key}`],
  ['scrypt by time', `$scrypt$ln=14,r=8,p=64$${salt}$${key}`],
  ['scrypt by absurd numbers', `$scrypt$ln=99,r=9999,p=9999$${salt}$${key}`],
  ['scrypt of Django', `scrypt$1073741824$seasalt$8$1$${key}=`],
  ['PBKDF2', `$pbkdf2-sha256$9999999999$${salt}$${key}`],
  ['PBKDF2 by the length of its key', `$pbkdf2$2000000$${salt}$${key}`],
  ['PBKDF2 of Django', `pbkdf2_sha256$9999999999$seasalt$${key}=`],
  ['phpass', '$P$RIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
])(
  'a hash of %s whose parameters are too costly is refused without being computed: %s',
  async (_form, passwordHash) => {
    expect(knownPasswords.faultIn(passwordHash)).toBe(costly)
    const beginMs = performance.now()
    expect(await knownPasswords.verify(passwordHash, 'password')).toBe(false)
    expect(performance.now() - beginMs).toBeLessThan(1000)
  },
)

test.each([
  ['', 'an empty text'],
  ['correct horse battery', 'a plaintext password'],
  ['5f4dcc3b5aa765d61d8327deb882cf99', 'MD5 without salt'],
  ['{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'SHA-1 without salt'],
  ['{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'salted SHA-1 whose salt is missing'],
  ['{SSHA}P90+qijSp8MJ1tN25j5o1PflUvlqjXHOGeOck===', 'invalid base64'],
  ['$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt of the broken variant 2x'],
  ['$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt of an impossible cost'],
  ['$2b$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt with stray bits in its salt'],
  ['$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe', 'truncated bcrypt'],
  ['$scrypt$ln=0,r=1,p=1$$d9ZXYjhleyA7GcpCwYoEl/FrSETjB0ro39/6P+3iFEI', 'scrypt with N = 1'],
  ['scrypt$16383$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafQ=', 'scrypt with N that is no power of two'],
  ['$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LK', 'PBKDF2 with a key of three bytes'],
  ['$pbkdf2-sha256$i=4096,l=20$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o', 'PBKDF2 with a wrong key length'],
  ['$pbkdf2-md5$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI', 'PBKDF2 with an unsupported digest'],
  ['$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r!L0', 'phpass with an invalid character'],
  ['$P$.IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'phpass with too few rounds'],
  [`{SSHA}${'A'.repeat(2000)}`, 'more than a kilobyte'],
])('the text %j is of no known form: %s', async (text) => {
  expect(knownPasswords.faultIn(text)).toBe('is of no known form')
  expect(await knownPasswords.verify(text, text)).toBe(false)
})

test('a text similar to a hash never makes the verification throw', async () => {
  const someHash = fc.constantFrom(...published.map(([, , passwordHash]) => passwordHash))
  const changed = fc
    .tuple(someHash, fc.nat(120), fc.string({ maxLength: 3, unit: 'binary' }))
    .map(([text, at, insert]) => text.slice(0, at) + insert + text.slice(at + 1))
  await fc.assert(
    fc.asyncProperty(changed, async (text) => {
      expect(typeof (await knownPasswords.verify(text, 'not the password of any'))).toBe('boolean')
    }),
    { numRuns: 60 },
  )
})

test('a lone surrogate in a password does not match the replacement character', async () => {
  // The hash of "half " and U+FFFD, from password_hash of PHP 8.2.
  const passwordHash = '$2y$05$J6Jgt0zibAaJWc/YPyW1Dermeo6IfZryNXbMAGURbefJRJa0Tkctq'
  expect(await knownPasswords.verify(passwordHash, 'half \uFFFD')).toBe(true)
  expect(await knownPasswords.verify(passwordHash, 'half \uD800')).toBe(false)
})

test('a phpass hash of many rounds does not block the event loop', async () => {
  let turns = 0
  let isDone = false
  const verified = knownPasswords.verify('$P$FiS0N5L672xzQx1rt1vgdJQRYKnQM9/', 'compL3X!').finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    turns += 1
  }
  expect(await verified).toBe(true)
  // 131,072 rounds, at most 1,024 in one turn of the event loop.
  expect(turns).toBeGreaterThan(100)
})
