import { createHash, createPublicKey } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseContentKey } from '../../../../src/features/token/viewer-token/content-key.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

test('secret generate prints 256 random bits in hexadecimal on one line', async () => {
  const cwd = temporaryFolder()
  const one = await runHere(['secret', 'generate'], { cwd })
  const next = await runHere(['secret', 'generate', '--json'], { cwd })
  expect(one).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
  const { secret } = JSON.parse(next.stdout) as { secret: string }
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(secret).not.toBe(one.stdout.trim())
})

describe('secret generate --key-pair', () => {
  const generate = (cwd: string, ...args: string[]) => runHere(['secret', 'generate', ...args], { cwd })

  test('secret generate --key-pair writes the private key for this user only, and prints the public key alone', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'content-key.pem')
    const { status, stdout, stderr } = await generate(cwd, '--key-pair', file)
    expect([status, stderr]).toEqual([0, ''])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const pem = readFileSync(file, 'utf8')
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    const key = parseContentKey(pem)
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(createPublicKey(stdout).equals(createPublicKey(key))).toBe(true)
    expect(stdout).not.toContain('PRIVATE')
  })

  test('--public-key writes the public key to a file, and --json tells its fingerprint', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'content-key.pem')
    const publicFile = join(cwd, 'public.pem')
    const { status, stdout } = await generate(
      cwd,
      '--key-pair',
      file,
      '--public-key',
      publicFile,
      '--bits',
      '3072',
      '--json',
    )
    const der = createPublicKey(readFileSync(publicFile)).export({ type: 'spki', format: 'der' })
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      {
        bits: 3072,
        fingerprint: createHash('sha256').update(der).digest('hex'),
        privateKeyFile: file,
        publicKeyFile: publicFile,
      },
    ])
  })

  test('secret generate --key-pair replaces no file, and leaves no private key without its public key', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'content-key.pem')
    const taken = join(cwd, 'taken.pem')
    writeFileSync(taken, 'mine')
    expect(await generate(cwd, '--key-pair', taken)).toMatchObject({ status: 1, stdout: '' })
    expect(await generate(cwd, '--key-pair', file, '--public-key', taken)).toMatchObject({ status: 1, stdout: '' })
    expect(await generate(cwd, '--key-pair', join(cwd, 'missing', 'key.pem'))).toMatchObject({ status: 1 })
    expect(readdirSync(cwd)).toEqual(['taken.pem'])
    expect(readFileSync(taken, 'utf8')).toBe('mine')
  })

  test.each([
    [['--key-pair', 'key.pem', '--bits', '1024'], '2048, 3072, 4096'],
    [['--public-key', 'public.pem'], '--key-pair'],
    [['--bits', '4096'], '--key-pair'],
    [['--key-pair'], 'argument missing'],
  ])('%j is wrong usage', async (args, message) => {
    const { status, stdout, stderr } = await generate(temporaryFolder(), ...args)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })
})
