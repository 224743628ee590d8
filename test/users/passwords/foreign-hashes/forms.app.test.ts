import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownPasswords, withoutWeakHashes } from '../../../../src/users/passwords/foreign-hashes/known-hashes.ts'
import { faultIn, needsRehash, verify } from '../hash-reading.ts'

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
  [
    'Spring Security, documentation',
    'password',
    '{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG',
  ],
  ['crypt(3), libxcrypt 4.4', 'pässword ☃', '$5$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB'],
  ['crypt(3), libxcrypt 4.4', '', '$5$$3c2QQ0KjIU1OLtB29cl8Fplc2WN7X89bnoEjaR7tWu.'],
  [
    'crypt(3), libxcrypt 4.4',
    'pässword ☃',
    '$6$rounds=1000$0123456789abcdef$OPU9bNM2Ftt.SDSEctfvnHpvlC21HQvqq6h.CWhTH.jyuQ6QmY6PC4dXWrNomt2kZ17wtNX2JfUBWch5aS.xV1',
  ],
  [
    'crypt(3), libxcrypt 4.4',
    'x'.repeat(200),
    '$6$s$tYpycEemO97Y6HIY845rF3yf.HlJ/gqSlTg8SL9qD.UzYKbnSYk9V/JBv0kBTBI/ivG1.4UzWg/OU93YJhcYX0',
  ],
  ['passlib 1.7.4', 'toomanysecrets', '$5$rounds=1234$Le3zhR00Vfic5OcP$cfCmE8aV5lOo0PBvqBfW6VjYfvcfvyH.oyWHQdIoZI/'],
  [
    'slappasswd 2.5.13',
    'correct horse',
    '{CRYPT}$6$eUmi0KXLSNjUX8ZC$c7TYXGL3JxcSlXc4BVt6v0s9aml.k6elyF6dspbz45MFyM0eOEmFo0UB0q4UsU2SGHaJs7qBK21PzKTJuKm6U0',
  ],
  ['slappasswd 2.5.13', 'correct horse', '{CRYPT}$2b$05$GEHCTWlE2vKhlIcRXosyvuNquP4RCTTREjmFfnLbVTYg5vwVOzgga'],
  ['crypt(3), libxcrypt 4.4', 'pässword ☃', '$1$abcdefgh$bk3ABdx70OZal.RscCmli/'],
  ['openssl passwd -apr1', 'pässword ☃', '$apr1$abcdefgh$pPk2/jLCWJf0tbErXF9Xz/'],
  [
    'Werkzeug 3.1.9',
    'pässword ☃',
    'scrypt:32768:8:1$FePnbYYFaXv87dS8$b46a6eeabf22d1010a870b741e3267192db1df3e167952be0b2e28471e86194cf8b853be3b618c4669993dbfd5715baf7a42379155bd518eccf8ff6f7147f792',
  ],
  [
    'Werkzeug 3.1.9',
    'pässword ☃',
    'pbkdf2:sha256:1000000$RRbnRkUqf9Cn7BfF$89fe97fbaa635953a9178537d640ec74b8ce6ba1cdc0cf11f0ae5cf8f0c84897',
  ],
  [
    'Werkzeug 3.1.9',
    'pässword ☃',
    'pbkdf2:sha512:1000$nSJ67dl2$5a26b5a11e134c3aa429f2b5cf928e985afa9e043194467766ffbbb94d76fc62796f484686e67a9c9d68a7edab5ec9cf1dbf2b04dafdb7582c4788922fb58f69',
  ],
  ['Werkzeug 3.1.9', 'pässword ☃', 'pbkdf2:sha1:1000$h6BKdi7A$83e321dcfef86d3b975990fd8c746fc9ac5959a1'],
  ...[
    'ANXrDknc7fGPpigibZXXZFMX4aoqz44JveK6jQuwY3eH/UyPhvr5xTPeGYEckLxz9A==',
    'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw',
    'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
    'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
  ].map((passwordHash): [string, string, string] => ['ASP.NET Core, tests', 'my password', passwordHash]),
]

test.each(published)('a foreign hash is verified: %s, password %j, %s', async (_source, password, passwordHash) => {
  expect(faultIn(knownPasswords, passwordHash)).toBeNull()
  expect(await verify(knownPasswords, passwordHash, password)).toBe(true)
  expect(await verify(knownPasswords, passwordHash, `${password}x`)).toBe(false)
  expect(await verify(knownPasswords, passwordHash, `${password}\0${password}`)).toBe(false)
})

test.each(published)('a foreign hash needs a rehash: %s, password %j, %s', (_source, password, passwordHash) => {
  expect(needsRehash(knownPasswords, passwordHash, password)).toBe(true)
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
  expect(needsRehash(knownPasswords, passwordHash, typed)).toBe(expected)
})

test.each([
  ['', false],
  ['argon2', true],
  ['{ARGON2}', true],
  ['{CRYPT}', true],
  ['{CRYPT}{ARGON2}', true],
])('a current argon2 hash is replaced only if it has a prefix: %s', (prefix, expected) => {
  expect(needsRehash(knownPasswords, prefix + knownPasswords.dummyHash, 'any')).toBe(expected)
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
  ['SHA-256 crypt', '$5$rounds=999999999$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB'],
  ['SHA-256 crypt', '$5$rounds=1000001$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB'],
  ['SHA-512 crypt of LDAP', `{CRYPT}$6$rounds=999999999$s$${'.'.repeat(86)}`],
  ['scrypt of Werkzeug', `scrypt:1073741824:8:1$salt$${'0'.repeat(128)}`],
  ['PBKDF2 of Werkzeug', `pbkdf2:sha256:9999999999$salt$${'0'.repeat(64)}`],
  ['PBKDF2 of ASP.NET Identity', `AQAAAAL/////AAAAEO${'A'.repeat(62)}`],
  ['scrypt of Firebase', `$firebase-scrypt$ln=30,r=8$42xEC+ixf3L2lwc$${'A'.repeat(86)}`],
])(
  'a hash of %s whose parameters are too costly is refused without being computed: %s',
  async (_form, passwordHash) => {
    expect(faultIn(knownPasswords, passwordHash)).toBe(costly)
    const begin = process.cpuUsage()
    expect(await verify(knownPasswords, passwordHash, 'password')).toBe(false)
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
  },
)

test.each([
  ['{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'salted SHA-1 whose salt is missing'],
  ['{SSHA}P90+qijSp8MJ1tN25j5o1PflUvlqjXHOGeOck===', 'invalid base64'],
  ['$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt of the broken variant 2x'],
  ['$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt of an impossible cost'],
  ['$2b$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'bcrypt with stray bits in its salt'],
  ['$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe', 'truncated bcrypt'],
  ['$scrypt$ln=0,r=1,p=1$$d9ZXYjhleyA7GcpCwYoEl/FrSETjB0ro39/6P+3iFEI', 'scrypt with N = 1'],
  ['scrypt$16383$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafQ=', 'scrypt with N that is not a power of two'],
  ['$pbkdf2$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LK', 'PBKDF2 with a key of three bytes'],
  ['$pbkdf2-sha256$i=4096,l=20$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o', 'PBKDF2 with a wrong key length'],
  ['$pbkdf2-md5$1212$OB.dtnSEXZK8U5cgxU/GYQ$y5LKPOplRmok7CZp/aqVDVg8zGI', 'PBKDF2 with an unsupported digest'],
  ['$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r!L0', 'phpass with an invalid character'],
  ['$P$.IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'phpass with too few rounds'],
  ['$5$rounds=999$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB', 'SHA-crypt with too few rounds'],
  ['$5$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gz', 'SHA-crypt with stray bits'],
  ['$6$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB', 'SHA-512 crypt with a short digest'],
  ['AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHwAA', 'ASP.NET Identity, invalid base64'],
  ['AQAAAAMAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw', 'ASP.NET Identity, an unknown digest'],
  ['AQAAAAIAAAAyAAAA/+Mwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw', 'ASP.NET Identity, a salt without an end'],
])('the text %j is of no known form: %s', async (text) => {
  expect(faultIn(knownPasswords, text)).toBe('is of no known form, or is not complete')
  expect(await verify(knownPasswords, text, text)).toBe(false)
})

const hex = (digits: number) => 'A'.repeat(digits)
test.each([
  ['5f4dcc3b5aa765d61d8327deb882cf99', 'MD5 without a salt, or NTLM'],
  [`${hex(32)}:${hex(32)}`, 'LM and NTLM'],
  [hex(40), 'SHA-1 without a salt'],
  [hex(64), 'SHA-256 without a salt'],
  [hex(128), 'SHA-512 without a salt'],
  [hex(16), 'OLD_PASSWORD() of MySQL'],
  [`*${hex(40)}`, 'PASSWORD() of MySQL'],
  ['{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'a digest without a salt'],
  ['{MD5}X03MO1qnZdYdgyfeuILPmQ==', 'a digest without a salt'],
  ['{CRYPT}rl.3StKT.4T8M', 'DES crypt'],
  ['_J9..rasmBYk8r9AiWNc', 'extended DES crypt'],
  ['$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7', 'yescrypt'],
  ['$sha1$40000$jtNX3nZ2$hBNaIXkt4wBI2o5rsi8KejSjNqIq', 'a rare form of crypt(3)'],
  ['{SMD5}xTWUaAZJGVRVCMHTZm1rWKhLcCo=', 'MD5 with a salt'],
  ['sha1$a1b2$0b9d0e2d6e3ab4fcff8ea0b7a9b1c2b9d27b1b5e', 'a single digest with a salt'],
  ['$S$D3xgBuyoRqUXXfNpnJqIqjWVjDKzXLqsS2eRyoJcvmRMYnEMDzOr', 'Drupal 7'],
  [`${hex(86)}==`, 'scrypt of Firebase, which needs --firebase'],
  ['!$6$abc$', 'the mark of a locked account'],
  ['', 'a plaintext password'],
  ['correct horse battery', 'a plaintext password'],
  ['{noop}password', 'a plaintext password'],
])('the text %j is refused by name: looks like %s', async (text, name) => {
  expect(faultIn(knownPasswords, text)).toContain(`looks like ${name}`)
  expect(await verify(knownPasswords, text, text)).toBe(false)
})

test('a text of more than a kilobyte is refused unread', () => {
  expect(faultIn(knownPasswords, `{SSHA}${'A'.repeat(2000)}`)).toBe('is too long')
})

test.each([
  '$1$abcdefgh$bk3ABdx70OZal.RscCmli/',
  '$apr1$abcdefgh$pPk2/jLCWJf0tbErXF9Xz/',
  '{crypt}$1$abcdefgh$bk3ABdx70OZal.RscCmli/',
])('MD5-crypt is refused where weak hashes are not accepted: %s', async (passwordHash) => {
  const strict = withoutWeakHashes('with --an-option')
  expect(faultIn(strict, passwordHash)).toMatch(/^is MD5-crypt.*with --an-option/)
  expect(await verify(strict, passwordHash, 'pässword ☃')).toBe(false)
  expect(faultIn(strict, bcrypt)).toBeNull()
})

test('a text similar to a hash never makes the verification throw', async () => {
  const someHash = fc.constantFrom(...published.map(([, , passwordHash]) => passwordHash))
  const changed = fc
    .tuple(someHash, fc.nat(120), fc.string({ maxLength: 3, unit: 'binary' }))
    .map(([text, at, insert]) => text.slice(0, at) + insert + text.slice(at + 1))
  await fc.assert(
    fc.asyncProperty(changed, async (text) => {
      expect(typeof (await verify(knownPasswords, text, 'not the password of any'))).toBe('boolean')
    }),
    { numRuns: 60 },
  )
})

test('a lone surrogate in a password does not match the replacement character', async () => {
  // The hash of "half " and U+FFFD, from password_hash of PHP 8.2.
  const passwordHash = '$2y$05$J6Jgt0zibAaJWc/YPyW1Dermeo6IfZryNXbMAGURbefJRJa0Tkctq'
  expect(await verify(knownPasswords, passwordHash, 'half \uFFFD')).toBe(true)
  expect(await verify(knownPasswords, passwordHash, 'half \uD800')).toBe(false)
})
