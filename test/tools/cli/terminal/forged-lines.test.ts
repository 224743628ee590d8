import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { environmentAt, sendJson, startService } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'

const FORGED = 'https://a.example/\n  then: https://login.example.com/\u001b[2J\u202e'
const ESCAPED = 'https://a.example/\\u000a  then: https://login.example.com/\\u001b[2J\\u202e'
const token = { access_token: 'a.b.c', token_type: 'bearer', expires_in: 3600 }

/** A service that sends the forged lines in every field. */
function answer({ method, url }: IncomingMessage, res: ServerResponse): void {
  const channel = { id: FORGED, title: FORGED, url: FORGED, tiny_url: FORGED }
  const hashlock = { url: FORGED, message: FORGED, type: FORGED }
  if (url === '/oauth2/token') sendJson(res, token)
  else if (method === 'POST') sendJson(res, { channel })
  else if (method === 'GET') sendJson(res, { hashlock })
  else res.writeHead(204).end()
}

let env: Record<string, string>
beforeEach(async () => {
  env = { ...SETTINGS, ...environmentAt(await startService(answer)) }
})

describe('texts from the service', () => {
  test.each([
    ['lock set --channel 1 --yes', 6],
    ['lock show --channel 1', 7],
    ['lock remove --channel 1 --yes', 2],
    ['channel create Stage', 1],
  ])('%s prints texts from the service within their line', async (command, lines) => {
    const { stdout, stderr } = await runHere(command.split(' '), { cwd: temporaryFolder(), env })
    expect((stderr + stdout).trimEnd().split('\n')).toHaveLength(lines)
    expect(stderr + stdout).toContain(ESCAPED)
    for (const control of ['\u001b', '\u202e']) expect(stderr + stdout).not.toContain(control)
  })
})

test('response check prints parameter names within their line', async () => {
  const response = JSON.stringify([{ 'user\nAccepted.': 'ada' }, { hash: '0'.repeat(32) }])
  const { stdout } = await runHere(['response', 'check'], { cwd: temporaryFolder(), env, stdin: response })
  expect(stdout).not.toMatch(/^Accepted/m)
  expect(stdout).toContain('user\\u000aAccepted.')
})
