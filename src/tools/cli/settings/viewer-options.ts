import { type Command, InvalidArgumentError } from 'commander'
import { collect } from '../terminal/option-values.ts'

/** The groups and attributes of a viewer, as options. */
export interface ViewerOptions {
  readonly group?: readonly string[]
  readonly attribute?: Readonly<Record<string, string>>
}

/** Adds `--group` and `--attribute`. @param whose for the help, such as "of the viewer". */
export function addViewerOptions(command: Command, whose: string): Command {
  return command
    .option('--group <NAME>', `a group ${whose}; repeatable`, collect)
    .option('--attribute <NAME=VALUE>', `an attribute ${whose}, for hashed parameters; repeatable`, collectAttribute)
}

function collectAttribute(text: string, attributes: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Use NAME=VALUE.')
  if (Object.hasOwn(attributes, name)) throw new InvalidArgumentError('An attribute has only one value.')
  return { ...attributes, [name]: value }
}
