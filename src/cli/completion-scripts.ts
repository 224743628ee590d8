import { fileURLToPath } from 'node:url'
import type { CompletedCommand } from './completion-command.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** For each shell, what its start file sources. Where no program viewer-auth is on the path, one is made of npm's. */
export const COMPLETION_SCRIPTS = { bash, zsh, fish } as const

type Commands = readonly CompletedCommand[]

function bash(commands: Commands): string {
  const paths = commands.map(({ path }) => quoted(path)).join('|')
  const cases = commands.map(({ path, words }) => `    ${quoted(path)}) words=${quoted(namesOf(words))} ;;`)
  const values = commands.flatMap(({ path, values }) =>
    values.map(
      ({ option, choices }) => `    ${quoted(`${path} ${option}`)}) words=${quoted(choices.join(' '))}; isValue=1 ;;`,
    ),
  )
  return `${launcher()}
_viewer_auth() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' words='' isValue='' index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${path:+$path }\${COMP_WORDS[index]}"
    case "$word" in
    ${paths}) path=$word ;;
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  if [ -z "$isValue" ]; then
    case "$path" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=()
  for word in $words; do
    case "$word" in
    "$current"*) COMPREPLY+=("$word") ;;
    esac
  done
}
complete -o bashdefault -o default -F _viewer_auth viewer-auth
`
}

/**
 * zsh runs completions that were written for bash. With -i it takes none from folders in which others may write, where
 * the user has not chosen already.
 */
function zsh(commands: Commands): string {
  return `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -i; }
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`
}

function fish(commands: Commands): string {
  const lines = commands.flatMap(({ path, words, values }) => {
    const at = `-n ${quoted(`__viewer_auth_at ${quoted(path)}`)}`
    return words.map(({ word, summary }) => {
      const isOption = word.startsWith('--')
      const takes = values.find(({ option }) => option === word)
      const choices =
        takes && takes.choices.length > 0 ? ` -x -a ${quoted(takes.choices.join(' '))}` : takes ? ' -r' : ''
      const what = isOption ? `-l ${word.slice(2)}${choices}` : `-f -a ${word}`
      return `complete -c viewer-auth ${at} ${what} -d ${quoted(summary)}`
    })
  })
  const paths = commands.map(({ path }) => quoted(path)).join(' ')
  return `${fishLauncher()}
function __viewer_auth_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    if contains -- "$longer" ${paths}
      set path "$longer"
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

function launcher(): string {
  return `command -v viewer-auth >/dev/null || viewer-auth() { npm --prefix ${quoted(ROOT)} run -s viewer-auth -- "$@"; }`
}

function fishLauncher(): string {
  return `type -q viewer-auth; or function viewer-auth
  npm --prefix ${quoted(ROOT)} run -s viewer-auth -- $argv
end`
}

function namesOf(words: CompletedCommand['words']): string {
  return words.map(({ word }) => word).join(' ')
}

/** In single quotes, in which every one of these shells takes all signs as they are but these two. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`
}
