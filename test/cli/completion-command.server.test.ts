import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { runHere } from './run-here.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const scripts = new Map<Shell, string>()

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const { status, stdout } = await runHere(['completion', shell], { cwd: '/' })
    expect(status).toBe(0)
    scripts.set(shell, stdout)
  }
})

function scriptFile(shell: Shell): string {
  const file = join(temporaryFolder(), 'completion')
  writeFileSync(file, scripts.get(shell) ?? '')
  return file
}

/** What the real shell offers for the last word, which may be empty. */
function offered(shell: Shell, words: readonly string[]): string[] {
  const file = scriptFile(shell)
  const line = words.map((word) => `'${word}'`).join(' ')
  const asked: Readonly<Record<Shell, string[]>> = {
    bash: [
      '--norc',
      '-c',
      `. ${file}; COMP_WORDS=(viewer-auth ${line}); COMP_CWORD=${words.length}; _viewer_auth; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    zsh: [
      '-f',
      '-c',
      `. ${file}; f() { emulate -L sh; setopt kshglob noshglob braceexpand ksharrays; COMP_WORDS=(viewer-auth ${line}); COMP_CWORD=${words.length}; _viewer_auth; printf '%s\\n' "\${COMPREPLY[@]}"; }; f`,
    ],
    fish: ['--no-config', '-c', `source ${file}; complete -C 'viewer-auth ${words.join(' ')}'`],
  }
  const home = temporaryFolder()
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home }
  const text = execFileSync(`/usr/bin/${shell}`, asked[shell], { encoding: 'utf8', env })
  // fish adds the summary behind a tab.
  return text
    .split('\n')
    .map((entry) => entry.split('\t')[0] ?? '')
    .filter((word) => word !== '')
}

describe.each(['bash', 'zsh', 'fish'] as const)('%s completes', (shell) => {
  test('commands, and those below them', () => {
    expect(offered(shell, ['zz'])).toEqual([])
    expect(offered(shell, ['lo'])).toEqual(['lock'])
    expect(offered(shell, ['lock', '']).toSorted()).toEqual(expect.arrayContaining(['remove', 'set', 'show']))
    expect(offered(shell, ['viewers', 'dis'])).toEqual(['disable'])
  })

  test('options of the command that is written, and of no other', () => {
    expect(offered(shell, ['lock', 'set', '--ch'])).toEqual(['--channel'])
    expect(offered(shell, ['lock', 'set', '--channel', '1002', '--y'])).toEqual(['--yes'])
    expect(offered(shell, ['viewers', 'list', '--ch'])).toEqual([])
  })

  test('the values that an option or a command can have', () => {
    expect(offered(shell, ['token', '--type', '']).toSorted()).toEqual(['bearer', 'jwt', 'mac'])
    expect(offered(shell, ['token', '--type', 'mac', '--grant', 'auth'])).toEqual(['authorization_code'])
    expect(offered(shell, ['completion', 'f'])).toEqual(['fish'])
  })

  test('nothing in the place of a text that only the user knows', () => {
    expect(offered(shell, ['lock', 'set', '--channel', 'zz'])).toEqual([])
  })

  test('by a name that runs the program of this folder', () => {
    const file = scriptFile(shell)
    const env = { PATH: process.env.PATH ?? '', HOME: temporaryFolder() }
    const flags = { bash: '--norc', zsh: '-f', fish: '--no-config' }[shell]
    const script = `${shell === 'fish' ? 'source' : '.'} ${file}; viewer-auth secret generate`
    const secret = execFileSync(`/usr/bin/${shell}`, [flags, '-c', script], { encoding: 'utf8', env, cwd: '/' })
    expect(secret).toMatch(/^[0-9a-f]{64}\n$/)
  })
})

test('zsh takes no completion from a folder in which others may write', () => {
  const [folder, home] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(folder, '_strange'), '#compdef strange\n')
  chmodSync(folder, 0o777)
  const script = `fpath=(${folder} $fpath); . ${scriptFile('zsh')}; print -r -- "<$_comps[strange]> <$_comps[viewer-auth]>"`
  const env = { PATH: '/usr/bin:/bin', HOME: home }
  const said = execFileSync('/usr/bin/zsh', ['-f', '-c', script], { encoding: 'utf8', env })
  expect(said).toBe('<> <_bash_complete -o bashdefault -o default -F _viewer_auth>\n')
})

test('another shell is refused with the names of those that are known', async () => {
  const { status, stderr } = await runHere(['completion', 'tcsh'], { cwd: temporaryFolder() })
  expect(status).toBe(2)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish')
})
