import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Finding, failure, ok, unknown, warning } from '../../../../src/tools/cli/doctor/finding.ts'
import { verdictOn } from '../../../../src/tools/cli/doctor/verdict.ts'

const condition = 'if the lock has not been changed since 08:30, 2 minutes ago'
const FRESH = { ...ok('lock-secret-same', 'lock set gave it the secret.'), condition }
const OLD = { ...unknown('lock-secret-unproven', 'lock set gave it the secret.'), condition }
const WARNING = warning('no-page', 'No page.')

test.each<[name: string, findings: Finding[], verdict: RegExp, strictFails: boolean]>([
  ['a check that passed', [ok('ready', 'Ready.')], /^Viewers will get through\.$/, false],
  ['a lock of today', [FRESH], /^Viewers will get through, if the lock .*, 2 minutes ago\.$/, false],
  [
    'a lock of today and a warning',
    [FRESH, WARNING],
    /^Viewers will get through, if .*, but see the warnings\.$/,
    true,
  ],
  ['an older lock', [OLD], /^Viewers will get through, if the lock /, true],
  ['two locks with one condition', [FRESH, FRESH], /^Viewers will get through, if [^,]*, 2 minutes ago\.$/, false],
  ['a lock and a way in that was not tried', [FRESH, unknown('no-sign-in', 'None.')], /^Not proven/, true],
  ['a lock and a failure', [FRESH, failure('away', 'Away.')], /will not get through/, true],
])('the verdict on %s', (_name, findings, verdict, strictFails) => {
  const stdout = new PassThrough()
  const { outcome } = verdictOn(findings, { isStrict: true, isVerbose: false, stdout })
  expect([outcome.data.verdict, outcome.isPartial]).toEqual([expect.stringMatching(verdict), strictFails])
})
