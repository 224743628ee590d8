import { type Command, InvalidArgumentError } from 'commander'

/** The groups and attributes of a viewer, as options. */
export interface ViewerOptions {
  readonly group?: string[]
  readonly attribute?: [name: string, value: string][]
}

/** Adds `--group` and `--attribute`. @param whose for the help, such as "of the viewer". */
export function addViewerOptions(command: Command, whose: string): Command {
  return command
    .option('--group <NAME>', `a group ${whose}; repeatable`, collectGroup)
    .option('--attribute <NAME=VALUE>', `an attribute ${whose}, for hashed parameters; repeatable`, collectAttribute)
}

/** Returns the groups and attributes that the options name. */
export function viewerFieldsOf({ group: groups = [], attribute = [] }: ViewerOptions) {
  return { groups, attributes: Object.fromEntries(attribute) }
}

function collectGroup(value: string, groups: string[] = []): string[] {
  return [...groups, value]
}

function collectAttribute(text: string, attributes: [string, string][] = []): [string, string][] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Use NAME=VALUE.')
  const name = text.slice(0, at)
  if (attributes.some(([other]) => other === name)) throw new InvalidArgumentError('An attribute has only one value.')
  return [...attributes, [name, text.slice(at + 1)]]
}
