import { setLock } from '../../../../../src/tools/video-service/locks.ts'
import { apiOf } from '../../../video-service/client.ts'
import { testFaults } from './fault-tests.ts'
import { GOLD_SECRET, twoEntryPoints } from './two-entry-points.ts'

testFaults('two entry points that are mixed up', [
  {
    name: 'the lock leads to the entry point of another channel',
    ...twoEntryPoints(),
    afterwards: ({ run }) => run('lock', 'set', '--channel', '1002', '--entry-point', 'gold', '--yes'),
    findings: ['failure page-origin-missing', 'failure not-in-group'],
  },
  {
    name: 'the lock has the secret of another entry point',
    notForBrowsers: 'the page shows another channel than --channel',
    ...twoEntryPoints(),
    afterwards: async ({ emulator, env, args, run }) => {
      await run('lock', 'set', '--channel', '1002', '--entry-point', 'silver', '--yes')
      const form = { url: `${env.PUBLIC_URL}/e/silver`, secret: GOLD_SECRET }
      await setLock(apiOf(emulator), { kind: 'video', id: '2003' }, form)
      args.splice(0, 2, '--video', '2003')
    },
    findings: ['failure lock-secret-differs', 'unknown page-other-content'],
  },
])
